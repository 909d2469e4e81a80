package io.verbena.netty;

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamSocket;
import org.jspecify.annotations.Nullable;

/** What channels and server channels have in common: their registration, what they wait for, and the end. */
abstract class VerbenaChannel extends AbstractChannel {

    /** Reads, or accepted connections, in one turn of the loop. */
    private static final int READS_PER_TURN = 16;

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, READS_PER_TURN);

    private static final Runnable NO_SIGNAL = () -> {};

    private volatile boolean open = true;

    // Of the event loop.
    private @Nullable IoRegistration registration;
    private @Nullable StreamNetwork network;
    private Runnable signal = NO_SIGNAL;
    private int interest = SocketReadiness.ENDED;

    /** Whether the program has asked to read, and nothing was read since. */
    private boolean readPending;

    VerbenaChannel(@Nullable Channel parent) {
        super(parent);
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(LoopSide.class);
    }

    @Override
    protected abstract LoopSide newUnsafe();

    // Registration.

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register((LoopSide) unsafe()).addListener(registered -> {
            if (registered.isSuccess()) {
                registration = (IoRegistration) registered.getNow();
                registration.submit(SocketReadiness.of(interest));
                promise.setSuccess();
            } else {
                promise.setFailure(registered.cause());
            }
        });
    }

    /** Does not wait to read afterwards: if the channel is registered again, Netty asks to read again. */
    @Override
    protected void doDeregister() {
        IoRegistration left = registration;
        if (left != null) {
            registration = null;
            interest &= ~StreamSocket.READABLE;
            signal = NO_SIGNAL;
            signalTo(signal);
            left.cancel();
        }
    }

    /** The network of the event loop, for a socket of this channel. */
    StreamNetwork network() {
        StreamNetwork of = network;
        if (of == null) {
            throw new IllegalStateException("The channel is not registered with an event loop.");
        }
        return of;
    }

    /** What to run when the socket becomes ready. */
    Runnable signal() {
        return signal;
    }

    /** The socket or listener, if there is one, runs this when it becomes ready. */
    abstract void signalTo(Runnable newSignal);

    /** What the socket or listener, if there is one, is ready for. */
    abstract int readiness();

    /** Handles what the channel has waited for. */
    abstract void onReady(SocketReadiness ready);

    // What the channel waits for.

    final boolean waitsFor(int bit) {
        return (interest & bit) != 0;
    }

    final void waitFor(int bit) {
        submit(interest | bit);
    }

    final void waitNoLongerFor(int bit) {
        submit(interest & ~bit);
    }

    private void submit(int wanted) {
        if (interest != wanted) {
            interest = wanted;
            if (registration != null) {
                registration.submit(SocketReadiness.of(wanted));
            }
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        waitFor(StreamSocket.READABLE);
    }

    /** Something was read, so that the program must ask again. */
    final void hasRead() {
        readPending = false;
    }

    final boolean readWanted() {
        return readPending || config().isAutoRead();
    }

    final void stopReading() {
        readPending = false;
        waitNoLongerFor(StreamSocket.READABLE);
    }

    /** The program has switched automatic reads off, in any thread. */
    final void onAutoReadCleared() {
        if (!isRegistered()) {
            return; // Netty asks to read when the channel becomes active, and only if reads are automatic
        }
        if (eventLoop().inEventLoop()) {
            stopReading();
        } else {
            eventLoop().execute(() -> {
                if (!readWanted()) {
                    stopReading();
                }
            });
        }
    }

    // The end.

    @Override
    protected void doClose() throws Exception {
        open = false;
        EventLoop loop = isRegistered() ? eventLoop() : null;
        if (loop == null || loop.inEventLoop()) {
            doDeregister();
        } else {
            loop.execute(this::doDeregister);
        }
    }

    @Override
    protected void doDisconnect() throws Exception {
        doClose();
    }

    /** What the event loop sees. */
    abstract class LoopSide extends AbstractUnsafe implements VerbenaIoHandle {

        @Override
        public void attach(StreamNetwork of, Runnable newSignal) {
            if (network != null && network != of) {
                throw new IllegalStateException(
                        "The channel has a socket of another network. "
                                + "The event loops of a server channel and of its children must come from one IoHandlerFactory.");
            }
            network = of;
            signal = newSignal;
            signalTo(newSignal);
        }

        @Override
        public int ready() {
            return readiness();
        }

        @Override
        public void handle(IoRegistration any, IoEvent event) {
            onReady((SocketReadiness) event);
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }

    /** The network of a channel that has a socket before it is registered. */
    final void belongsTo(StreamNetwork of) {
        network = of;
    }
}
