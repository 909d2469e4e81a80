/**
 * The protocol of perftest (ib_write_bw, ib_read_lat and their relatives) without rdma_cm, both roles. The two programs exchange
 * versions and addresses over TCP, connect one queue pair by hand and meet again over TCP after the measurement.
 */
@NullMarked
package io.verbena.tools.perftest;

import org.jspecify.annotations.NullMarked;
