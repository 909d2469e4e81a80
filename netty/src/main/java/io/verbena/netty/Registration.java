package io.verbena.netty;

import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.verbena.sockets.stream.WaitSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A channel of an event loop. Running it states that the channel has perhaps become ready. */
final class Registration implements IoRegistration, Runnable {

    private static final System.Logger LOG = System.getLogger("io.verbena.netty");

    private final VerbenaIoHandler handler;
    private final VerbenaIoHandle handle;
    private final AtomicBoolean valid = new AtomicBoolean(true);
    private final WaitSet.Entry<Registration> place = new WaitSet.Entry<>(this);

    /** What the channel waits for; of the event loop. */
    private int interest;

    Registration(VerbenaIoHandler handler, VerbenaIoHandle handle) {
        this.handler = handler;
        this.handle = handle;
    }

    VerbenaIoHandle handle() {
        return handle;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's signature
    public <T> @Nullable T attachment() {
        return null;
    }

    /** Sets what the channel waits for. */
    @Override
    public long submit(IoOps ops) {
        assert handler.inLoop() : "a channel changes what it waits for in its event loop";
        interest = ((SocketReadiness) ops).bits();
        if ((handle.ready() & interest) != 0) {
            run();
        }
        return 0;
    }

    @Override
    public boolean isValid() {
        return valid.get();
    }

    @Override
    public boolean cancel() {
        if (!valid.compareAndSet(true, false)) {
            return false;
        }
        handler.cancelled(this);
        return true;
    }

    @Override
    public void run() {
        handler.onReady(place);
    }

    /**
     * The registration has left the list: hands what is ready to the channel. Returns whether there was anything.
     *
     * <p>A socket signals what it was not ready for before. So what it is still ready for is looked at once more afterwards.
     */
    boolean dispatch() {
        assert handler.inLoop() : "an event loop looks at its channels itself";
        place.dequeue();
        int ready = handle.ready() & interest;
        if (ready == 0 || !isValid()) {
            return false;
        }
        try {
            handle.handle(this, SocketReadiness.of(ready));
        } catch (RuntimeException | Error e) { // the other channels of the loop continue
            LOG.log(System.Logger.Level.WARNING, "A channel is closed, because an event could not be handled.", e);
            VerbenaIoHandler.close(handle);
        }
        if (isValid() && (handle.ready() & interest) != 0) {
            run();
        }
        return true;
    }
}
