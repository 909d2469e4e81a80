/**
 * The binary interface of libibverbs and librdmacm, through the foreign function interface of the JDK: without a compiler and without
 * native code in this project.
 *
 * <p><b>Structures</b> are classes of constants, one for each, with its offsets drawn ({@link io.verbena.hardware.abi.Struct}). A test
 * compares all of them with what a C compiler says about the installed headers. <b>Functions</b> are one table
 * ({@link io.verbena.hardware.abi.NativeFunction}) with their parameters and the way in which each reports a failure.
 * <b>Inline functions</b> of C are pointers at fixed distances from the ibv_context ({@link io.verbena.hardware.abi.ContextOp});
 * {@link io.verbena.hardware.abi.ContextCalls} calls them without allocating. {@link io.verbena.hardware.abi.SystemCalls} has the
 * few calls of libc that wait for events.
 *
 * <p>Pointers are numbers of 64 bits. The lifetimes of what they name are those of the objects of {@code hardware.provider}.
 *
 * @since 0.1.0
 */
@NullMarked
package io.verbena.hardware.abi;

import org.jspecify.annotations.NullMarked;
