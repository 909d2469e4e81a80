/** Identifiers, events and parameters of librdmacm, for whatever has an rdma_cm_id. */
@NullMarked
package io.verbena.hardware.provider.cm;

import org.jspecify.annotations.NullMarked;
