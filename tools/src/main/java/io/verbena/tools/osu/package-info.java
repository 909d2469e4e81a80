/** The measurements of the OSU benchmarks for MPI, on ranks that are processes. */
@NullMarked
package io.verbena.tools.osu;

import org.jspecify.annotations.NullMarked;
