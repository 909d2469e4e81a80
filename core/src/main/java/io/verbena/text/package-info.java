/** Text for people, in one form for all modules: addresses, strings of JSON, and text that a peer has sent. */
@NullMarked
package io.verbena.text;

import org.jspecify.annotations.NullMarked;
