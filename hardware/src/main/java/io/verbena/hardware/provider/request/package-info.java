/** Requests to an adapter as memory: slots of queues, work request identifiers, opcodes and statuses of libibverbs. */
@NullMarked
package io.verbena.hardware.provider.request;

import org.jspecify.annotations.NullMarked;
