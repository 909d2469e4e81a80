package io.verbena.outcome;

import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.UnaryOperator;

/**
 * How requests of A reach the queue pair of B.
 *
 * @param addressed adds the destination
 * @param oneAtATime whether a request is sent when the preceding one is complete
 */
record OrderedRoute(UnaryOperator<WorkRequest> addressed, boolean oneAtATime) {

    private static final int QKEY = 0x2222;

    /** A connection. */
    static OrderedRoute connection(Scene scene) throws IOException {
        scene.connect();
        return new OrderedRoute(UnaryOperator.identity(), false);
    }

    /** An end-to-end context of reliable datagrams, which carries one message at a time. */
    static OrderedRoute context(Scene scene) throws IOException {
        ReliableDatagramDomain near = join(scene, scene.a);
        ReliableDatagramDomain far = join(scene, scene.b);
        Listener listener = scene.listen();
        EndToEndContext context = near.startConnect(listener.localAddress(), ConnectionOptions.defaults());
        listener.nextRequest(Scene.PATIENCE)
                .orElseThrow()
                .startAcceptContext(far, ConnectionOptions.defaults())
                .awaitEstablished(Scene.PATIENCE);
        context.awaitEstablished(Scene.PATIENCE);
        int number = scene.b.qp.number();
        return new OrderedRoute(request -> request.to(context, number, QKEY), true);
    }

    private static ReliableDatagramDomain join(Scene scene, Side side) throws IOException {
        ReliableDatagramDomain domain = side.rnic.allocateReliableDatagramDomain();
        side.with(options -> options.withReliableDatagrams(domain));
        InetSocketAddress own = (InetSocketAddress)
                scene.closing(side.rnic.listen(Scene.anyPort())).localAddress();
        PathAttributes path =
                PathAttributes.to(AddressHandleAttributes.to(own.getAddress())).withPartition(0, QKEY);
        side.qp.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        side.qp.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
        side.qp.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        return domain;
    }
}
