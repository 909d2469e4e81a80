package io.verbena.survival;

import io.verbena.base.Digest;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One connection of the model: packets in order, which stay under way when it breaks and may arrive at any later
 * time.
 */
final class SurvivalPath {

    /** What is under way. Requests and answers carry no number: {@code number} is known to the model only. */
    sealed interface Packet {
        record Resume(ResumeMessage message) implements Packet {}

        record Request(long number, RequestKind kind) implements Packet {}

        record Answer(long number, RequestKind kind, long original) implements Packet {}
    }

    final long epoch;
    final int opener;
    /** Whether a RESUME came on it a second time, and its opener is not there. */
    final boolean stray;

    /** Packets by receiver. */
    private final Deque<Packet>[] packets;

    boolean broken;
    final boolean[] noticed = new boolean[2];

    @SuppressWarnings({"unchecked", "rawtypes"})
    SurvivalPath(long epoch, int opener, boolean stray) {
        this.epoch = epoch;
        this.opener = opener;
        this.stray = stray;
        packets = new Deque[] {new ArrayDeque<>(), new ArrayDeque<>()};
    }

    Deque<Packet> to(int side) {
        return packets[side];
    }

    void breakOff() {
        broken = true;
    }

    /** What a side that has left the connection does not receive any more. */
    void purge(int side) {
        packets[side].removeIf(packet -> !(packet instanceof Packet.Resume));
    }

    boolean hasPackets() {
        return !packets[0].isEmpty() || !packets[1].isEmpty();
    }

    long digest() {
        long digest = Digest.mix(Digest.mix(epoch, opener), Digest.flags(stray, broken, noticed[0], noticed[1]));
        for (Deque<Packet> each : packets) {
            digest = Digest.mix(digest, each.size());
            for (Packet packet : each) {
                digest = Digest.mix(digest, digest(packet));
            }
        }
        return digest;
    }

    static long digest(Packet packet) {
        return switch (packet) {
            case Packet.Resume(ResumeMessage message) ->
                Digest.mix(
                        Digest.mix(message.type().ordinal() + 1L, message.epoch()),
                        Digest.mix(
                                Digest.mix(
                                        message.progress().completed(),
                                        message.progress().executed()),
                                message.progress().results().hashCode()));
            case Packet.Request(long number, RequestKind kind) -> Digest.mix(100 + number, kind.ordinal());
            case Packet.Answer(long number, RequestKind kind, long original) ->
                Digest.mix(Digest.mix(200 + number, kind.ordinal()), original);
        };
    }
}
