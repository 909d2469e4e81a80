package io.verbena.tcp.flow;

import java.util.function.ToIntFunction;

/** What a carrier can carry: the size of packets to an address, and what it buffers for all connections together. */
public final class CarrierLimits {

    /** Least window of a connection, however many share the buffer of the carrier. */
    private static final int LEAST_WINDOW = 8 * 1024;

    private ToIntFunction<IpAddress> pathMtu = remote -> Integer.MAX_VALUE;
    private int receiveBudget = Integer.MAX_VALUE;
    private boolean showsMarks = true;

    /** The size of packets that reach a remote address, as far as the carrier knows it. */
    public void pathMtu(ToIntFunction<IpAddress> mtu) {
        pathMtu = mtu;
    }

    /** All connections share a buffer of the carrier of at least this size, which drops what does not fit. */
    public void receiveBudget(int bytes) {
        receiveBudget = Math.min(receiveBudget, bytes);
    }

    /** Whether the carrier shows the marks of routers on packets; all of its ports must. */
    public void showsMarks(boolean value) {
        showsMarks &= value;
    }

    public boolean showsMarks() {
        return showsMarks;
    }

    public int mtuTo(IpAddress remote) {
        return pathMtu.applyAsInt(remote);
    }

    /** The most that the window of one of several connections offers. */
    public int window(int connections) {
        return Math.max(LEAST_WINDOW, receiveBudget / Math.max(1, connections));
    }
}
