/** Virtual channels over the verbs: rings of slots in registered memory, the control block, and the Writes that fill them. */
@NullMarked
package io.verbena.messaging.ring;

import org.jspecify.annotations.NullMarked;
