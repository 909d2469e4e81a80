package io.verbena.rnic.iwarp;

import io.verbena.rnic.PacketCarrier;
import io.verbena.survival.AssociationId;
import io.verbena.survival.ResumeCodec;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumeType;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections that survive their transport, by the id of their association: any listener finds the one that a
 * RESUME
 * belongs to. There is at most one for each queue pair. Any thread.
 */
final class Survivors {

    /** A RESUME or PROBE whose code is right. */
    record Addressed(Continuation survivor, ResumeMessage message) {}

    private final Map<AssociationId, Continuation> byId = new ConcurrentHashMap<>();
    private final Optional<PacketCarrier> carrier;

    /** With what can carry their messages in packets, if the RNIC has it. */
    Survivors(Optional<PacketCarrier> carrier) {
        this.carrier = carrier;
    }

    /** What can carry their messages in packets. */
    Optional<PacketCarrier> carrier() {
        return carrier;
    }

    void add(Continuation survivor) {
        byId.put(survivor.id(), survivor);
    }

    void remove(Continuation survivor) {
        byId.remove(survivor.id(), survivor);
    }

    /** Whether the private data of a Request have the shape of a RESUME, of a peer or of a stranger. */
    static boolean isResume(byte[] privateData) {
        return ResumeCodec.id(privateData).isPresent();
    }

    /** The connection that a RESUME or PROBE of its peer is for; empty if there is none, or the code is wrong. */
    Optional<Addressed> find(byte[] request) {
        return ResumeCodec.id(request)
                .flatMap(id -> Optional.ofNullable(byId.get(id)))
                .flatMap(survivor -> survivor.open(request)
                        .filter(message -> message.type() == ResumeType.RESUME || message.type() == ResumeType.PROBE)
                        .map(message -> new Addressed(survivor, message)));
    }
}
