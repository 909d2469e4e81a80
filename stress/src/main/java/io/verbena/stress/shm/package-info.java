/** Races of the two sides of a ring in shared memory. */
@org.jspecify.annotations.NullMarked
package io.verbena.stress.shm;
