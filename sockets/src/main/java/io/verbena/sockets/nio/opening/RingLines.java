package io.verbena.sockets.nio.opening;

import io.verbena.sockets.ring.channel.LineWatch;
import io.verbena.sockets.ring.channel.RingSocket;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostWait;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.Optional;
import java.util.function.Consumer;

/** Watches the TCP connections of rings in the {@link SetUpThread}, while their threads sleep in the shared memory. */
public final class RingLines implements LineWatch {

    private final SetUpThread thread;
    private final HostMemory memory;

    public RingLines(SetUpThread thread, HostMemory memory) {
        this.thread = thread;
        this.memory = memory;
    }

    @Override
    public Optional<HostWait> newWait() {
        return memory.newWait(2);
    }

    @Override
    public void watch(RingSocket socket) {
        thread.execute(new Watched(thread, socket));
    }

    /** As a step of the thread it begins the watch, and then takes what is found. */
    private record Watched(SetUpThread thread, RingSocket socket) implements Runnable, Consumer<SelectionKey> {

        @Override
        public void run() {
            try {
                thread.watch(socket.line(), SelectionKey.OP_READ, this);
            } catch (IOException _) {
                return; // closed meanwhile
            }
        }

        /** A key of which nothing is wanted costs nothing, and can be used again at once. */
        @Override
        public void accept(SelectionKey key) {
            if (!socket.onWatched()) {
                key.interestOps(0);
            }
        }
    }

    /** The selector gives a closed connection back to the system when it selects. */
    @Override
    public void forget() {
        thread.wakeup();
    }
}
