/** Virtual time: the World, which drives RNICs over virtual streams in one thread from one seed, and peers for scripts. */
@NullMarked
package io.verbena.sim;

import org.jspecify.annotations.NullMarked;
