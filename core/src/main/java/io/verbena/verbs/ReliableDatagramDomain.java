package io.verbena.verbs;

import java.net.SocketAddress;
import java.util.List;

/**
 * A reliable datagram domain (RDD): associates queue pairs of service {@link TransportService#RELIABLE_DATAGRAM} with
 * the end-to-end contexts that carry their messages. M queue pairs that communicate with N - 1 other RNICs need N - 1
 * contexts; reliable connections between M queue pairs on each of N RNICs would need M * M * (N - 1) queue pairs on each.
 * Any thread may call any method.
 *
 * <pre>{@code
 * QueuePair qp = pd.createQueuePair(QueuePairOptions.of(cq).withReliableDatagrams(rdd));
 * EndToEndContext peer = rdd.connect(address, ConnectionOptions.defaults());
 * qp.post(qp.newWorkRequest().send().gather(region, 0, 64).to(peer, remoteNumber, qkey));
 * }</pre>
 */
public interface ReliableDatagramDomain extends AutoCloseable {

    /** The RNIC that this domain belongs to. */
    Rnic rnic();

    /** The contexts that are not closed. */
    List<EndToEndContext> contexts();

    /** Number of open queue pairs of the domain. */
    int queuePairs();

    /** Starts to connect a context to a listener and returns at once; {@link EndToEndContext#awaitEstablished} waits. */
    EndToEndContext startConnect(SocketAddress remote, ConnectionOptions options);

    /**
     * Connects a context and waits until it is established. If this method throws, the context is closed.
     *
     * @throws ConnectionException if the peer rejected the request, was not reachable, or did not answer in time
     * @throws WaitInterruptedException if the thread is interrupted
     */
    default EndToEndContext connect(SocketAddress remote, ConnectionOptions options) throws ConnectionException {
        EndToEndContext context = startConnect(remote, options);
        try {
            context.awaitEstablished(options.timeout());
        } catch (ConnectionException | RuntimeException e) {
            context.close();
            throw e;
        }
        return context;
    }

    /**
     * Closes the contexts and frees the domain.
     *
     * @throws IllegalStateException if queue pairs of the domain are open
     */
    @Override
    void close();
}
