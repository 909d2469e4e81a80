/**
 * A shuffle manager for Spark whose reducers read map outputs by RDMA Reads: {@link io.verbena.spark.VerbenaShuffleManager}.
 *
 * <p>Map tasks, their files, the scheduler and the iterator that limits the bytes in flight are those of Spark. This package replaces what is
 * between a reducer and the file of a map task on another executor:
 *
 * <pre>
 *  reducer                                          executor of the map tasks
 *  ReduceReader: Spark's iterator of blocks
 *  BlockReader: a request of the iterator
 *  PeerChannel  -- OpenRequest: map tasks, ranges --&gt;  RangeServer
 *                                                    MapOutputs: maps the file at its first use, registers it for remote reads;
 *                                                    copies small outputs to shared regions
 *               &lt;-- OpenReply: addresses, keys, lengths --
 *               == RDMA Reads into a region of ReadBuffers ==&gt;  (no code of Spark runs here)
 *  RangeBuffer: a block of that region
 * </pre>
 *
 * <p>Executors find each other by the {@link io.verbena.spark.ExecutorDirectory} of the driver, which also hands out the secret of the
 * application. There is no table of all rows at the driver: a reducer asks the executor for exactly the ranges that it reads, at the cost of one
 * message for up to 255 map outputs, and only a connection that knows the secret receives keys.
 */
@NullMarked
package io.verbena.spark;

import org.jspecify.annotations.NullMarked;
