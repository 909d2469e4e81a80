/** MPI programs: {@code verbena run -n 4 -- FILE}. */
@NullMarked
package io.verbena.examples.mpi;

import org.jspecify.annotations.NullMarked;
