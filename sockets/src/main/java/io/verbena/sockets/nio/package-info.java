/**
 * A provider of NIO channels and selectors: programs that use {@link java.nio.channels.SocketChannel} run over RDMA
 * without a change. {@link io.verbena.sockets.nio.VerbenaSelectorProvider} is the way in.
 *
 * <p>A socket channel has a {@link io.verbena.sockets.nio.Carrier carrier}: a stream socket over the verbs, or a channel of
 * the JDK. The carrier is decided when the channel is connected ({@link io.verbena.sockets.nio.ConnectAttempt}) or
 * accepted ({@link io.verbena.sockets.nio.Reception}). A selector has a selector of the JDK inside for all channels of the
 * JDK.
 *
 * <h2>The order of locks</h2>
 *
 * <p>A thread takes locks in this order and none twice, except the one that it took last:
 *
 * <ol>
 *   <li>monitors of the program, and those of a selector and its selected keys, which are the program's too
 *   <li>{@code regLock} of a channel of the program: the JDK holds it during {@code register} and {@code configureBlocking}
 *   <li>accepting, then reading, then writing ({@link io.verbena.sockets.nio.select.RankedLock})
 *   <li>{@code closeLock} of a channel of the program: the JDK holds it during {@code close}, and takes it in {@code begin} if the
 *       thread was interrupted
 *   <li>{@code keyLock} of a channel of the program: the JDK holds it while a key is added, removed or cancelled
 *   <li>the lock of a {@link io.verbena.sockets.nio.select.VerbenaKey}, then the state of a channel
 *   <li>the locks of a connection attempt, of options, of a plain carrier; all locks of the channels of the JDK inside; the lock
 *       of a stream socket
 *   <li>lists of keys and connections, which call nothing
 * </ol>
 *
 * <p>So a channel of the program is never closed, registered or made blocking under a lock that comes later: the decision is made under
 * the lock, and the thread acts after it has released it. A selector of the JDK takes {@code keyLock} of its channels when it selects
 * or closes; so it does neither under a lock that registering takes.
 *
 * <p>A {@link io.verbena.sockets.nio.select.RankedLock} checks the order if assertions are enabled, as they are in tests. The two places
 * of the JDK's locks in it are checked where a channel is closed and where its blocking mode changes.
 */
@NullMarked
package io.verbena.sockets.nio;

import org.jspecify.annotations.NullMarked;
