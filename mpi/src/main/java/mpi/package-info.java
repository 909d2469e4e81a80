/**
 * The interface of the Java bindings that Open MPI had until version 5, over the messages of Verbena. Programs for these bindings compile
 * and run unchanged, without native code.
 */
@NullMarked
package mpi;

import org.jspecify.annotations.NullMarked;
