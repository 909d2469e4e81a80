/**
 * The verbs: the public API for programs that use RDMA. It consists of interfaces, records and enums, and of {@link
 * io.verbena.verbs.RdmaPeer}, a thin convenience layer. Providers implement the RNICs ({@link
 * io.verbena.verbs.RnicProvider}).
 *
 * <p>Terms follow the specifications: the iWARP RFCs (5040, 5041, 5044, 6581, 7306) and the InfiniBand architecture.
 * Types name their counterparts in libibverbs and librdmacm where there are any.
 */
@NullMarked
package io.verbena.verbs;

import org.jspecify.annotations.NullMarked;
