package io.verbena.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A connection that is being established: its promise, and the limit of its time. */
final class PendingConnect implements ChannelFutureListener {

    private final VerbenaSocketChannel channel;
    private final SocketAddress remote;
    private final ChannelPromise promise;
    private final Optional<Future<?>> timer;

    PendingConnect(VerbenaSocketChannel channel, SocketAddress remote, ChannelPromise promise) {
        this.channel = channel;
        this.remote = remote;
        this.promise = promise;
        int timeoutMs = channel.config().getConnectTimeoutMillis();
        timer = timeoutMs > 0
                ? Optional.of(
                        channel.eventLoop().schedule(() -> onTimeout(timeoutMs), timeoutMs, TimeUnit.MILLISECONDS))
                : Optional.empty();
        promise.addListener(this);
    }

    private void onTimeout(int timeoutMs) {
        if (promise.tryFailure(new ConnectTimeoutException(
                "The connection to " + remote + " was not established within " + timeoutMs + " ms."))) {
            channel.unsafe().close(channel.voidPromise());
        }
    }

    /** The program has cancelled the attempt, or it is over. */
    @Override
    public void operationComplete(ChannelFuture future) {
        timer.ifPresent(it -> it.cancel(false));
        if (future.isCancelled()) {
            channel.onConnectCancelled();
        }
    }

    /** Returns whether the program has not cancelled the attempt. */
    boolean succeed() {
        return promise.trySuccess();
    }

    void fail(Throwable cause) {
        promise.tryFailure(channel.annotated(cause, remote));
    }

    void onClose() {
        promise.tryFailure(new ClosedChannelException());
    }
}
