package io.verbena.rnic.ib;

import io.verbena.rnic.SoftConnectionRequest;
import io.verbena.rnic.ib.terms.PaddedData;
import io.verbena.rnic.ib.terms.RequestData;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A request of a peer to a listener: for a connection, or for the address of a datagram service. */
abstract class UndecidedRequest extends SoftConnectionRequest {

    private final InfinibandListener listener;
    private final long deadlineNs;

    UndecidedRequest(InfinibandListener listener, InetSocketAddress remote, byte[] field, long deadlineNs) {
        super(listener.localAddress(), remote, RequestData.data(field));
        this.listener = listener;
        this.deadlineNs = deadlineNs;
    }

    final InfinibandListener listener() {
        return listener;
    }

    /** The time at which the request is rejected if the application has not decided. */
    final long deadlineNs() {
        return deadlineNs;
    }

    /** Records the decision of the application, and carries it out on the engine. */
    final void decided(Runnable step) {
        listener.submit(() -> {
            listener.forget(this);
            step.run();
        });
    }

    @Override
    protected abstract void refuse(String reason);

    /** The reason of a refusal as private data; none if it does not fit. */
    static byte[] text(String reason, int fieldBytes) {
        byte[] text = reason.getBytes(StandardCharsets.US_ASCII);
        return PaddedData.pad(text.length <= fieldBytes ? text : new byte[0], fieldBytes, PaddedData.NONE);
    }
}
