/** The reference model: the expected results of a run of the World, and the programs that check them. */
@NullMarked
package io.verbena.sim.model;

import org.jspecify.annotations.NullMarked;
