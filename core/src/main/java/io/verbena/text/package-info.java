/** What people read, written in one way by all modules: addresses, strings of JSON, and text that a peer has sent. */
@NullMarked
package io.verbena.text;

import org.jspecify.annotations.NullMarked;
