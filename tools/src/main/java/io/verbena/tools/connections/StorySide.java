package io.verbena.tools.connections;

import io.verbena.sim.VirtualHost;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One side of a story: an RNIC on a virtual host, with a queue pair and memory. */
final class StorySide {

    private static final int BYTES = 4096;
    private static final int RECEIVES = 2;
    private static final int MESSAGE = 64;

    private final char name;
    private final VirtualHost host;
    final QueuePair queuePair;
    private final CompletionCursor cursor;
    private final MemoryRegion memory;
    private Optional<Connection> connection = Optional.empty();
    private long nextWork = 1;

    StorySide(char name, VirtualHost host) {
        this.name = name;
        this.host = host;
        ProtectionDomain domain = host.rnic().allocateProtectionDomain();
        CompletionQueue cq = host.rnic().createCompletionQueue(64);
        cursor = cq.cursor();
        memory = domain.allocate(
                BYTES,
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE,
                AccessRight.REMOTE_ATOMIC);
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(8, 8));
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.postReceive(100 + i, memory, 0, MESSAGE);
        }
    }

    VirtualHost host() {
        return host;
    }

    void connection(Connection accepted) {
        connection = Optional.of(accepted);
    }

    /** Whether nothing more will happen here. */
    boolean ended() {
        return host.closed()
                || connection.isPresent() && connection.get().state().ended();
    }

    /** Whether it is in the middle of an end. */
    boolean ending() {
        return !host.closed()
                && connection.isPresent()
                && connection.get().state() == io.verbena.verbs.ConnectionState.CLOSING;
    }

    void does(Incident.Deed deed, StorySide peer) {
        RemoteRegion there = peer.memory.remote();
        switch (deed) {
            case SEND -> queuePair.postSend(nextWork++, memory, 0, MESSAGE, WrFlags.SIGNALLED);
            case WRITE -> queuePair.postWrite(nextWork++, memory, 0, MESSAGE, there, 1024, WrFlags.SIGNALLED);
            case READ -> queuePair.postRead(nextWork++, memory, 2048, MESSAGE, there, 1024, WrFlags.SIGNALLED);
            case ATOMIC ->
                queuePair.postFetchAndAdd(
                        nextWork++, memory, 2048, there.address(), there.rkey(), 1, WrFlags.SIGNALLED);
            case BAD_KEY ->
                queuePair.postRead(
                        nextWork++, memory, 2048, MESSAGE, there.address(), there.rkey() + 1, WrFlags.SIGNALLED);
            case DISCONNECT -> connection.ifPresent(Connection::disconnect);
            case ERROR -> queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case CLOSE -> queuePair.close();
            case SHUTDOWN -> host.rnic().close();
            case MIGRATE -> connection.ifPresent(Connection::migrate);
            case DIE -> host.kill(false);
            case VANISH -> host.kill(true);
            case RESET, TIME -> throw new AssertionError("not of a side: " + deed);
        }
    }

    /** How it stands. */
    String state() {
        if (host.closed()) {
            return "gone";
        }
        String tie = connection.map(c -> c.state().name()).orElse("not connected");
        return queuePair.state().name() + ", " + tie;
    }

    /** The notifications of its application since the last call. */
    List<String> reports() {
        List<String> all = new ArrayList<>();
        if (host.closed()) {
            return all;
        }
        while (cursor.next()) {
            all.add(name + " completes " + cursor.opcode() + " " + cursor.wrId() + ": " + cursor.status());
        }
        for (AsyncEvent event : host.rnic().pollAsyncEvents(Duration.ZERO)) {
            all.add(name + " is notified of " + event.type() + ": " + event.sentence());
        }
        return all;
    }
}
