package io.verbena.rnic.ib.port;

import io.verbena.base.Times;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.PacketSource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Sends the packets that the queue pairs of one engine build. All engines of an RNIC send from the addresses of its
 * ports. The engine calls
 * every method.
 */
public final class PortSender extends Endpoint implements PacketOutlet {

    /** A shared sender does not report when it accepts packets again. */
    private static final long RETRY_NS = 50_000;

    private final RnicEngine engine;
    private final Consumer<String> onBroken;

    /** By the number of the address. */
    private final List<Exit> exits;

    private final PacketBuilder builder;
    private final ArrayDeque<PortWait> deferred = new ArrayDeque<>();
    private boolean collecting;
    private boolean blocked;
    private boolean closed;

    /**
     * The sender of an engine, which has it served.
     *
     * @param exits by the number of their address
     * @param onBroken receives the reason if nothing can be sent any more
     */
    PortSender(RnicEngine engine, List<Exit> exits, Consumer<String> onBroken) {
        this.engine = engine;
        this.exits = exits;
        this.onBroken = onBroken;
        builder = new PacketBuilder(exits.stream().map(Exit::outgoing).toList());
    }

    @Override
    public boolean blocked() {
        return blocked;
    }

    @Override
    public boolean defers(PortWait endpoint) {
        if (blocked && endpoint.begin()) {
            deferred.add(endpoint);
        }
        return blocked;
    }

    @Override
    public boolean send(Predicate<PacketBuilder> build) {
        openList();
        boolean built = build.test(builder);
        flush();
        return built;
    }

    /**
     * Collects what a protocol engine has to send, within the budget of a turn. The port is not blocked. The packets leave at
     * the end of the turn, because packets of several queue pairs to one peer can share a call of the port, or at once if
     * they fill one.
     */
    public void transmit(PacketSource from, long nowNs) {
        openList();
        engine.atTurnEnd(this);
        try {
            from.fillTransmit(builder, RnicEngine.BYTE_BUDGET, nowNs);
        } catch (Throwable e) {
            builder.drop();
            throw e;
        }
        for (int i = 0; i < exits.size(); i++) {
            if (exits.get(i).full()) {
                flush();
                break;
            }
        }
    }

    /**
     * Empties the lists, unless they have packets that have not left. Several ports of a thread may share the first
     * one.
     */
    private void openList() {
        if (!collecting) {
            collecting = true;
            for (int i = 0; i < exits.size(); i++) {
                exits.get(i).open();
            }
        }
    }

    @Override
    protected void onTurnEnd() {
        flush();
    }

    /** Sends what was collected. */
    public void flush() {
        if (collecting && !blocked) {
            collecting = false;
            if (builder.bytes() > 0) {
                sendRest();
            }
        }
    }

    /** Sends the packets of the lists that have not left yet. */
    private void sendRest() {
        boolean left = false;
        try {
            for (int i = 0; i < exits.size(); i++) {
                left |= exits.get(i).send();
            }
        } catch (IOException e) {
            onBroken.accept(e.toString());
        }
        collecting = left;
        blocked = left;
        if (left && exits.getFirst().silent()) {
            engine.deadline(this, Times.after(engine.nowNs(), RETRY_NS));
        }
        while (!blocked && !deferred.isEmpty()) {
            engine.ready(deferred.removeFirst().end());
        }
    }

    /** The port accepts packets again, or may do so. */
    @Override
    public void service(long nowNs) {
        if (blocked && !closed) {
            sendRest();
        }
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        close();
        if (!engine.failed()) {
            onBroken.accept(sentence);
        }
    }

    /** Nothing is sent any more. */
    public void close() {
        closed = true;
        blocked = true;
        engine.leave(this);
        exits.forEach(Exit::close);
    }

    @Override
    protected long stateDigest() {
        return (blocked ? 1 : 0) + 2L * deferred.size();
    }
}
