package io.verbena.tools.perftest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The exchange of perftest, over TCP or over rdma_cm. Every step is a swap of as many bytes each way, in which the client sends
 * first.
 *
 * <pre>
 *   version, 16 bytes of text
 *   size of the cycle buffer and of a cache line, 4 bytes each, one swap each
 *   code of the path MTU, one digit and a NUL
 *   addresses, several times: 108 bytes of text over TCP, 56 bytes over rdma_cm
 * </pre>
 */
final class PerftestExchange {

    private static final int VERSION_BYTES = 16;
    private static final String VERSION = "6.06";
    private static final double OLDEST_VERSION = 5.70;
    private static final int PAGE_BYTES = 4096;
    private static final int CACHE_LINE_BYTES = 64;
    private static final int LEAST_MTU_BYTES = 256;

    private final PerftestChannel channel;

    PerftestExchange(PerftestChannel channel) {
        this.channel = channel;
    }

    boolean client() {
        return channel.client();
    }

    private byte[] swap(byte[] own, String what) throws IOException, Failure {
        byte[] theirs = channel.swap(own);
        if (theirs.length < own.length) {
            throw PerftestChannel.closedBefore(what);
        }
        return theirs;
    }

    private int swap(int own, String what) throws IOException, Failure {
        return ByteBuffer.wrap(
                        swap(ByteBuffer.allocate(Integer.BYTES).putInt(own).array(), what))
                .getInt();
    }

    private long swap(long own, String what) throws IOException, Failure {
        return ByteBuffer.wrap(swap(ByteBuffer.allocate(Long.BYTES).putLong(own).array(), what))
                .getLong();
    }

    private double swap(double own, String what) throws IOException, Failure {
        return Double.longBitsToDouble(swap(Double.doubleToRawLongBits(own), what));
    }

    /** Checks the version of the peer, and returns the smaller path MTU. */
    int begin(int mtuBytes) throws IOException, Failure {
        String version = text(swap(Arrays.copyOf(VERSION.getBytes(ISO_8859_1), VERSION_BYTES), "version"));
        double number;
        try {
            number = Double.parseDouble(version);
        } catch (NumberFormatException e) {
            throw new Failure("The peer sent no version; it is not one of the programs of perftest", e);
        }
        if (!(number >= OLDEST_VERSION)) {
            throw new Failure("The peer has perftest " + version + "; 5.70 or newer is required");
        }
        int cycle = swap(PAGE_BYTES, "page size");
        swap(CACHE_LINE_BYTES, "cache line size");
        if (cycle > PAGE_BYTES) {
            throw new Failure("The peer has pages of " + cycle + " bytes; 4096 are supported");
        }
        String code = text(swap(new byte[] {(byte) ('0' + code(mtuBytes)), 0}, "path MTU"));
        return code.matches("[1-5]") ? Math.min(mtuBytes, LEAST_MTU_BYTES << code.charAt(0) - '1') : mtuBytes;
    }

    /** 1 to 5 for 256 to 4096 bytes. */
    private static int code(int mtuBytes) {
        return Integer.numberOfTrailingZeros(mtuBytes / LEAST_MTU_BYTES) + 1;
    }

    private static String text(byte[] bytes) {
        String all = new String(bytes, ISO_8859_1);
        int end = all.indexOf('\0');
        return end < 0 ? all : all.substring(0, end);
    }

    /** Exchanges addresses several times, and returns the last ones of the peer. */
    PerftestAddress addresses(PerftestAddress own, int times) throws IOException, Failure {
        PerftestAddress theirs = own;
        for (int i = 0; i < times; i++) {
            theirs = channel.swap(own);
        }
        return theirs;
    }

    /** Waits without a time-out until the peer continues. */
    void await(Runnable check) throws IOException, Failure {
        channel.await(check);
    }

    /** Exchanges the results, and returns those of the peer. */
    PerftestReport reports(PerftestReport own) throws IOException, Failure {
        return new PerftestReport(
                swap(own.bytes(), "results"),
                swap(own.iterations(), "results"),
                swap(own.peakMebibytes(), "results"),
                swap(own.averageMebibytes(), "results"),
                swap(own.millionMessages(), "results"));
    }

    /** The end: a last exchange and a word. */
    void finish(PerftestAddress own) throws IOException, Failure {
        addresses(own, 1);
        channel.end();
    }
}
