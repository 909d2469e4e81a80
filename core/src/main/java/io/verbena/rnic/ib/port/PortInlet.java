package io.verbena.rnic.ib.port;

import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.port.PacketBatch;
import java.util.function.Consumer;

/**
 * Receives packets on an engine that does not own the port. The engine of the port copies each packet for a queue pair of this engine into a
 * {@link PacketPassage}; checking, placing and answering it happen here.
 */
public final class PortInlet extends Endpoint {

    private final RnicEngine engine;
    private final PacketReception reception;
    private final Consumer<String> onBroken;
    private final PacketPassage passage = new PacketPassage();

    /** With a receiver of the reason if packets can be processed no more although the engine works. */
    public PortInlet(RnicEngine engine, PacketReception reception, Consumer<String> onBroken) {
        this.engine = engine;
        this.reception = reception;
        this.onBroken = onBroken;
    }

    // The engine of the port.

    /** Hands over a packet for a queue pair of this engine. A failed engine takes none. */
    public void add(PacketBatch from, int packet, int target) {
        if (!engine.failed()) {
            passage.add(from, packet, target);
        }
    }

    /** Wakes this engine if packets were handed over. */
    public void publish() {
        if (passage.publish()) {
            engine.ring(this);
        }
    }

    // This engine.

    @Override
    protected void onDoorbell() {
        engine.ready(this);
    }

    @Override
    protected void service(long nowNs) {
        PacketPassage.Batch batch = passage.next();
        if (batch == null) {
            return;
        }
        try {
            for (int i = 0; i < batch.packets.packets(); i++) {
                if (reception.admits(batch.packets, i)) {
                    i = reception.deliver(batch.target(i), batch.packets, i, nowNs);
                }
            }
        } finally {
            passage.release();
        }
        if (passage.next() != null) {
            engine.ready(this);
        }
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        close();
        if (!engine.failed()) {
            onBroken.accept(sentence);
        }
    }

    /** Nothing is received any more. */
    public void close() {
        engine.leave(this);
    }

    @Override
    protected long stateDigest() {
        return passage.dropped();
    }
}
