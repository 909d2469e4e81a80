package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.wire.ip.IcmpHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import io.verbena.wire.ip.TcpOptionWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** The peer of a {@link Script}: writes its segments from text, and compares those of the engine with text. */
final class ScriptPeer {

    /** The control bits, lowest first; E is ECE, and W is CWR. */
    private static final String FLAGS = "FSRP.UEW";

    private static final int LOCAL = 0x0a00_0001;
    private static final int REMOTE = 0x0a00_0002;

    private final int peerSequence;
    private int engineSequence;
    private boolean engineKnown;
    private int localPort;
    private int remotePort;
    private int lastTimestamp;
    private int cookie;

    ScriptPeer(int peerSequence) {
        this.peerSequence = peerSequence;
    }

    void ports(int local, int remote) {
        localPort = local;
        remotePort = remote;
    }

    /** The last SYN of the engine has this cookie, and a later one has another number. */
    void keepCookie() {
        cookie = engineSequence;
    }

    /** A segment that the engine has sent, with relative numbers. */
    record Sent(long atNs, String flags, long from, long to, long ack, int window, String options, int timestamp) {

        /** Compares with the text of a script; returns what differs. */
        String compare(String text) {
            Deque<String> words = new ArrayDeque<>(Arrays.asList(text.split("\\s+")));
            StringBuilder out = new StringBuilder();
            String wanted = words.removeFirst();
            check(out, "flags", wanted, wanted.contains("P") ? flags : flags.replace("P", ""));
            while (!words.isEmpty()) {
                String word = words.removeFirst();
                if (word.matches("-?\\d+:-?\\d+")) {
                    check(out, "range", word, from + ":" + to);
                } else if (word.equals("ack")) {
                    check(out, "ack", words.removeFirst(), "" + ack);
                } else if (word.equals("win")) {
                    check(out, "win", words.removeFirst(), "" + window);
                } else if (word.equals("sack") || word.equals("mss") || word.equals("wscale") || word.equals("tsecr")) {
                    String value = words.removeFirst();
                    check(out, word, value, option(word));
                } else if (word.startsWith("no")) {
                    check(out, word, "none", option(word.substring(2)));
                } else {
                    check(out, word, word, options.contains(word) ? word : options);
                }
            }
            return out.toString();
        }

        private String option(String name) {
            for (String each : options.split(" ")) {
                if (each.startsWith(name + "=")) {
                    return each.substring(name.length() + 1);
                }
                if (each.equals(name)) {
                    return name;
                }
            }
            return "none";
        }

        private static void check(StringBuilder out, String what, String wanted, String found) {
            if (!wanted.equals(found)) {
                out.append(what)
                        .append(" is ")
                        .append(found)
                        .append(", not ")
                        .append(wanted)
                        .append("; ");
            }
        }

        @Override
        public String toString() {
            return flags + " " + from + ":" + to + " ack " + ack + " win " + window + " " + options;
        }
    }

    Sent parse(PacketOut out, long nowNs) {
        MemorySegment memory = out.slab().segment();
        Ipv4Header ip = new Ipv4Header().wrap(memory, PacketOut.OFFSET);
        assertEquals(Ipv4Header.Check.OK, ip.check(out.length()));
        long tcpAt = (long) PacketOut.OFFSET + ip.headerBytes();
        if (ip.protocol() != Ipv4Header.TCP) {
            return new Sent(nowNs, "ICMP", 0, 0, 0, 0, "", 0);
        }
        int length = out.length() - ip.headerBytes();
        long sum = InternetChecksum.pseudoHeader(ip.source(), ip.destination(), Ipv4Header.TCP, length);
        assertTrue(InternetChecksum.intact(sum + InternetChecksum.sum(memory, tcpAt, length)), "checksum");
        TcpHeader tcp = new TcpHeader().wrap(memory, tcpAt);
        assertTrue(tcp.fits(length));
        TcpOptionReader options =
                new TcpOptionReader().read(memory, tcpAt + TcpHeader.LENGTH, tcpAt + tcp.headerBytes());
        localPort = tcp.sourcePort();
        if ((tcp.flags() & TcpHeader.SYN) != 0) {
            engineSequence = tcp.sequence();
            engineKnown = true;
        }
        lastTimestamp = options.timestamps() ? options.timestamp() : lastTimestamp;
        int from = tcp.sequence() - engineSequence;
        boolean acks = (tcp.flags() & TcpHeader.ACK) != 0;
        long ack = acks ? tcp.acknowledgment() - peerSequence : 0;
        return new Sent(
                nowNs,
                flags(tcp.flags()),
                from,
                from + length - tcp.headerBytes(),
                ack,
                tcp.window(),
                options(options) + (ip.typeOfService() == PacketPath.ECT_0 ? " ect" : ""),
                options.timestamp());
    }

    private String options(TcpOptionReader options) {
        StringBuilder out = new StringBuilder();
        if (options.mss() >= 0) {
            out.append(" mss=").append(options.mss());
        }
        if (options.windowScale() >= 0) {
            out.append(" wscale=").append(options.windowScale());
        }
        out.append(options.sackPermitted() ? " sackOK" : "");
        out.append(options.timestamps() ? " ts tsecr=" + options.echo() : "");
        for (int i = 0; i < options.blocks(); i++) {
            out.append(i == 0 ? " sack=" : ",");
            out.append(options.left(i) - peerSequence).append(':').append(options.right(i) - peerSequence);
        }
        return out.toString().strip();
    }

    private static String flags(int bits) {
        StringBuilder out = new StringBuilder();
        for (int i : new int[] {1, 0, 2, 3, 5, 6, 7, 4}) {
            if ((bits & 1 << i) != 0) {
                out.append(FLAGS.charAt(i));
            }
        }
        return out.toString();
    }

    private static int bits(String flags) {
        int bits = 0;
        for (char each : flags.toCharArray()) {
            bits |= 1 << FLAGS.indexOf(each);
        }
        return bits;
    }

    /** The packet of a line such as {@code . 1:1001 ack 1 win 5000 sack 2001:3001}. */
    byte[] packet(String text, int source) {
        Deque<String> words = new ArrayDeque<>(Arrays.asList(text.split("\\s+")));
        byte[] bytes = new byte[1 << 16];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        int flags = bits(words.removeFirst());
        long from = 0;
        long to = 0;
        int ack = 0;
        int window = 65_535;
        int fill = 0;
        boolean spoilt = false;
        int typeOfService = 0;
        TcpOptionWriter options = new TcpOptionWriter().wrap(memory, 40);
        while (!words.isEmpty()) {
            String word = words.removeFirst();
            if (word.matches("-?\\d+:-?\\d+")) {
                from = Long.parseLong(word.split(":")[0]);
                to = Long.parseLong(word.split(":")[1]);
            } else {
                switch (word) {
                    case "ack" -> {
                        String number = words.removeFirst();
                        ack = number.equals("cookie") ? cookie + 1 : engineSequence + Integer.parseInt(number);
                    }
                    case "win" -> window = Integer.parseInt(words.removeFirst());
                    case "fill" -> fill = Integer.parseInt(words.removeFirst());
                    case "spoilt" -> spoilt = true;
                    case "ce" -> typeOfService = PacketPath.CONGESTION_EXPERIENCED;
                    default -> option(options, word, words);
                }
            }
        }
        assertTrue(engineKnown || (flags & TcpHeader.ACK) == 0 || ack != 0, "no SYN of the engine yet");
        int header = TcpHeader.LENGTH + options.length();
        int length = header + (int) (to - from);
        Arrays.fill(bytes, 20 + header, 20 + length, (byte) fill);
        TcpHeader tcp = new TcpHeader().wrap(memory, 20);
        tcp.write(
                remotePort << 16 | localPort, peerSequence + (int) from, ack, TcpHeader.lengthAndFlags(header, flags));
        tcp.window(window);
        long sum = InternetChecksum.pseudoHeader(source, LOCAL, Ipv4Header.TCP, length);
        tcp.checksum(InternetChecksum.of(sum + InternetChecksum.sum(memory, 20, length)) ^ (spoilt ? 1 : 0));
        new Ipv4Header()
                .wrap(memory, 0)
                .write(20 + length, 1, Ipv4Header.TCP, 64)
                .typeOfService(typeOfService)
                .addresses(source, LOCAL);
        return Arrays.copyOf(bytes, 20 + length);
    }

    private void option(TcpOptionWriter options, String word, Deque<String> words) {
        switch (word) {
            case "mss" -> options.mss(Integer.parseInt(words.removeFirst()));
            case "wscale" -> options.windowScale(Integer.parseInt(words.removeFirst()));
            case "sackOK" -> options.sackPermitted();
            // The second number is 0, or "echo" for the last timestamp of the engine.
            case "ts" -> {
                int value = Integer.parseInt(words.removeFirst());
                String echo = words.removeFirst();
                options.timestamps(value, echo.equals("echo") ? lastTimestamp : Integer.parseInt(echo));
            }
            // Blocks of the peer acknowledge bytes of the engine.
            case "sack" -> {
                String[] blocks = words.removeFirst().split(",");
                options.sack(blocks.length);
                for (String block : blocks) {
                    options.block(
                            engineSequence + Integer.parseInt(block.split(":")[0]),
                            engineSequence + Integer.parseInt(block.split(":")[1]));
                }
            }
            default -> throw new AssertionError("unknown in a script: " + word);
        }
    }

    /** An ICMP message "fragmentation needed" for the segment of the engine with this number. */
    byte[] tooBig(int mtu, long sequence) {
        byte[] bytes = new byte[20 + 8 + 28];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        new Ipv4Header().wrap(memory, 28).write(1040, 7, Ipv4Header.TCP, 63).addresses(LOCAL, REMOTE);
        int ports = localPort << 16 | remotePort;
        java.nio.ByteBuffer.wrap(bytes)
                .putShort(26, (short) mtu)
                .putInt(48, ports)
                .putInt(52, engineSequence + (int) sequence);
        new IcmpHeader().wrap(memory, 20).finish(IcmpHeader.UNREACHABLE, IcmpHeader.FRAGMENTATION_NEEDED, 36);
        new Ipv4Header().wrap(memory, 0).write(56, 1, Ipv4Header.ICMP, 64).addresses(REMOTE, LOCAL);
        return bytes;
    }
}
