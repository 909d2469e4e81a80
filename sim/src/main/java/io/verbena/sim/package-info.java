/** Virtual time: the World, which drives RNICs over virtual streams in one thread from one seed, and scripted peers. */
@NullMarked
package io.verbena.sim;

import org.jspecify.annotations.NullMarked;
