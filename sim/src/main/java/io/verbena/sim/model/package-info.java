/** The reference model: what a run of the World must come to, and the programs that find out. */
@NullMarked
package io.verbena.sim.model;

import org.jspecify.annotations.NullMarked;
