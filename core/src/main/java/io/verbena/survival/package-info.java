/**
 * An association of two RNICs that outlives the queue pairs that carry it: what each side remembers, the messages by
 * which it resumes over the next address, and the states of an association. Pure: the owner opens connections, fences
 * queue pairs and passes messages and the time. docs/survival.md describes the protocol.
 */
@NullMarked
package io.verbena.survival;

import org.jspecify.annotations.NullMarked;
