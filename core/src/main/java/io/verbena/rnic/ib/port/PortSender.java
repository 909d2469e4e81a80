package io.verbena.rnic.ib.port;

import io.verbena.base.PacketList;
import io.verbena.base.Times;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.packet.Encapsulation;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.PacketSource;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Sends the packets that the queue pairs of one engine build. All engines of an RNIC send from the address of its port. The engine calls every
 * method.
 */
public final class PortSender extends Endpoint implements PacketOutlet {

    /** A shared sender does not report when it accepts packets again. */
    private static final long RETRY_NS = 50_000;

    private final RnicEngine engine;
    private final PacketSender packets;
    private final Optional<PacketPort> port;
    private final Consumer<String> onBroken;
    private final PacketList list;
    private final PacketBuilder builder;
    private final ArrayDeque<PortWait> deferred = new ArrayDeque<>();
    private boolean collecting;
    private int nextUnsent;
    private boolean blocked;
    private boolean closed;

    private PortSender(
            RnicEngine engine,
            PacketSender packets,
            Optional<PacketPort> port,
            Encapsulation encapsulation,
            Consumer<String> onBroken) {
        this.engine = engine;
        this.packets = packets;
        this.port = port;
        this.onBroken = onBroken;
        list = engine.buffers().packetList();
        builder = new PacketBuilder(list, encapsulation);
    }

    /**
     * The sender of the engine that owns the port, which has it served.
     *
     * @param onBroken receives the reason if nothing can be sent any more
     */
    public static PortSender of(
            RnicEngine engine, PacketPort port, Encapsulation encapsulation, Consumer<String> onBroken) {
        return new PortSender(engine, port, Optional.of(port), encapsulation, onBroken);
    }

    /** The sender of another engine. */
    public static PortSender shared(
            RnicEngine engine, PacketSender packets, Encapsulation encapsulation, Consumer<String> onBroken) {
        return new PortSender(engine, packets, Optional.empty(), encapsulation, onBroken);
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
            list.dropOpenPacket();
            throw e;
        }
        if (list.bytes() >= packets.groupBytes()) {
            flush();
        }
    }

    /** Empties the list, unless it has packets of this port that have not left. Several ports of a thread may share it. */
    private void openList() {
        if (!collecting) {
            collecting = true;
            list.reset(packets.groupPackets(), packets.groupBytes());
            nextUnsent = 0;
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
            if (list.packets() > 0) {
                sendRest();
            }
        }
    }

    /** Sends the packets of the list that have not left yet. Whole packets are in the slab, so that they can wait. */
    private void sendRest() {
        try {
            nextUnsent = packets.send(list, nextUnsent);
        } catch (IOException e) {
            onBroken.accept(e.toString());
        }
        boolean now = nextUnsent < list.packets();
        collecting = now;
        if (now != blocked) {
            blocked = now;
            port.ifPresent(it -> it.wantWritable(now));
        }
        if (now && port.isEmpty()) {
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
        packets.close();
    }

    @Override
    protected long stateDigest() {
        return (blocked ? 1 : 0) + 2L * deferred.size();
    }
}
