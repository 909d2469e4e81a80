/**
 * Structures of librdmacm.
 *
 * @since 0.1.0
 */
@NullMarked
package io.verbena.hardware.abi.cm;

import org.jspecify.annotations.NullMarked;
