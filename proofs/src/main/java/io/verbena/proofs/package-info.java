/**
 * Unmodified third-party programs in JVMs that use the channels of Verbena: {@link io.verbena.proofs.Program} starts one, {@link
 * io.verbena.proofs.Carrier} says over what, and {@link io.verbena.proofs.Witness} runs in it and reports what its connections
 * were carried by.
 */
@NullMarked
package io.verbena.proofs;

import org.jspecify.annotations.NullMarked;
