/**
 * A stream between two processes of one host as two rings in shared memory, without I/O. A write copies from the program's buffer to the ring and
 * shows how far it has come; a read copies to the program's buffer and shows that. There is nothing else on the way: no queue pair, key, message
 * or credit. {@link io.verbena.sockets.ring.RingEnd} is one side.
 *
 * <pre>
 *   writer                        ring                          reader
 *   copies its bytes      -->  [ window          |  unused ]
 *   written = w           -->  written                     -->  copies the bytes before w
 *   space = window - (w - r)   read                        &lt;--  read = r
 * </pre>
 *
 * <p>{@link io.verbena.sockets.ring.RingLayout} draws the memory, and describes how rings grow. The memory is a file without a name that both
 * processes have mapped, so that what a process has written remains after its end until it is read.
 *
 * <h2>Sleeping</h2>
 *
 * <p>No wake-up is lost. Each side writes its own word first, and then reads the other's, with a full fence between:
 *
 * <pre>
 *   writer                              reader
 *   written = w                         for bytes = 1
 *   full fence                          full fence
 *   reads "for bytes"                   reads "written"
 *     1: clears it, wakes the peer        more than before: continues
 *     0: done                             no more: waits for the system
 * </pre>
 *
 * In any order of these steps one of the two sees the word of the other. The same holds for a reader that has made space and a writer that waits for it. The one
 * that clears the word wakes: by a byte on the TCP connection, which is there before the sleeper looks at the connection, or ends its wait.
 * A byte that arrives late wakes a side once without need.
 *
 * <h2>Ends</h2>
 *
 * <p>Each side states how far it has ended: its output, both directions, or the whole by a reset. A word of the end follows the last byte that was
 * written, so a reader that has seen the end sees all bytes. {@link io.verbena.sockets.ring.RingState} is the table. The TCP connection says who died: the
 * system ends it when the process of the peer ends. If the peer has not stated its end then, the stream ends as it would by TCP, with a reset if there are
 * bytes that the peer had not read.
 *
 * <h2>Whom to trust</h2>
 *
 * <p>Both sides can write to all of the memory. Each keeps its own positions, and writes them to the memory without reading them from there. What it reads of the peer is checked:
 * a position may only grow, the peer cannot have read more than was written, or have written more than the ring has space for. A window grows at most to the
 * size that both have mapped. So a peer that lies damages its own stream, which ends with a reason, or waits in vain.
 */
@NullMarked
package io.verbena.sockets.ring;

import org.jspecify.annotations.NullMarked;
