package io.verbena.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads captures and puts the TCP streams in them together again: Ethernet with IPv4 or IPv6, nothing lost. */
final class Captures {
    /** One connection: what each side sent. */
    static final class Connection {
        private final byte[] initiator;
        private final byte[] responder;

        Connection(byte[] initiator, byte[] responder) {
            this.initiator = initiator;
            this.responder = responder;
        }

        byte[] initiator() {
            return initiator;
        }

        byte[] responder() {
            return responder;
        }
    }

    /** One direction of a connection. */
    private record Direction(String from, String to) {
        Direction back() {
            return new Direction(to, from);
        }
    }

    private static final int SYN = 0x02;
    private static final int ACK = 0x10;

    /** One direction while it is being collected: payload by sequence number relative to the SYN. */
    private static final class Half {
        final TreeMap<Integer, byte[]> segments = new TreeMap<>();
        int first;
        boolean opened;

        byte[] bytes() {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            segments.forEach((at, bytes) -> {
                int known = all.size() - at;
                if (known < 0) {
                    throw new AssertionError("a hole of " + -known + " bytes at " + all.size());
                }
                if (known < bytes.length) {
                    all.write(bytes, known, bytes.length - known);
                }
            });
            return all.toByteArray();
        }
    }

    private Captures() {}

    /** The bytes of a reference capture. */
    static byte[] load(String name) {
        try (InputStream in = Captures.class.getResourceAsStream("/captures/" + name)) {
            if (in == null) {
                throw new AssertionError("no capture " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The connections in a capture file, in the order they were opened. */
    static List<Connection> connections(byte[] file) {
        Map<Direction, Half> halves = new LinkedHashMap<>();
        List<Direction> initiators = new ArrayList<>();
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(file));
        PcapngReader.Outcome outcome;
        while ((outcome = reader.next()) == PcapngReader.Outcome.PACKET) {
            add(
                    ByteBuffer.wrap(file, (int) reader.packetOffset(), reader.packetLength())
                            .slice(),
                    halves,
                    initiators);
        }
        if (outcome != PcapngReader.Outcome.END) {
            throw new AssertionError(outcome);
        }
        List<Connection> connections = new ArrayList<>();
        for (Direction direction : initiators) {
            connections.add(new Connection(bytes(halves, direction), bytes(halves, direction.back())));
        }
        return connections;
    }

    private static byte[] bytes(Map<Direction, Half> halves, Direction direction) {
        return halves.getOrDefault(direction, new Half()).bytes();
    }

    private static void add(ByteBuffer frame, Map<Direction, Half> halves, List<Direction> initiators) {
        int etherType = frame.getShort(12) & 0xffff;
        boolean ipv4 = etherType == 0x0800;
        if (!ipv4 && etherType != 0x86dd || frame.get(14 + (ipv4 ? 9 : 6)) != 6) {
            return;
        }
        int ipLength = ipv4 ? (frame.get(14) & 0xf) * 4 : 40;
        int end = 14 + (ipv4 ? frame.getShort(16) & 0xffff : 40 + (frame.getShort(18) & 0xffff));
        int tcp = 14 + ipLength;
        int flags = frame.get(tcp + 13);
        String from = address(frame, ipv4 ? 26 : 22, ipv4 ? 4 : 16) + ":" + (frame.getShort(tcp) & 0xffff);
        String to = address(frame, ipv4 ? 30 : 38, ipv4 ? 4 : 16) + ":" + (frame.getShort(tcp + 2) & 0xffff);
        Direction key = new Direction(from, to);
        Half half = halves.computeIfAbsent(key, k -> new Half());
        if ((flags & SYN) != 0) {
            if ((flags & ACK) == 0 && !half.opened) {
                initiators.add(key);
            }
            half.opened = true;
            half.first = frame.getInt(tcp + 4) + 1;
            return;
        }
        int data = tcp + (frame.get(tcp + 12) >> 4 & 0xf) * 4;
        if (data < end) {
            byte[] payload = new byte[end - data];
            frame.get(data, payload);
            half.segments.merge(frame.getInt(tcp + 4) - half.first, payload, (a, b) -> a.length >= b.length ? a : b);
        }
    }

    private static String address(ByteBuffer frame, int at, int length) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < length; i++) {
            Hex.append(out, frame.get(at + i), 2);
        }
        return out.toString();
    }
}
