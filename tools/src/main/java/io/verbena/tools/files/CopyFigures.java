package io.verbena.tools.files;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;

/**
 * What a copy did.
 *
 * @param bytes length of the file
 * @param movedBytes bytes that went by RDMA
 * @param zeroBytes bytes that were zero and did not go
 * @param keptBytes bytes that were there already
 * @param chunksAgain chunks that went once more because their checksum was wrong
 * @param reconnects connections that broke and were made again
 * @param verified whether every chunk's checksum was compared
 * @param durationNs from the first connection to the finished file
 */
public record CopyFigures(
        long bytes,
        long movedBytes,
        long zeroBytes,
        long keptBytes,
        long chunksAgain,
        long reconnects,
        boolean verified,
        long durationNs) {

    static CopyFigures of(long bytes, Tally tally, boolean verified, long durationNs) {
        return new CopyFigures(
                bytes,
                tally.movedBytes.sum(),
                tally.zeroBytes.sum(),
                tally.keptBytes.sum(),
                tally.again.sum(),
                tally.reconnects.sum(),
                verified,
                durationNs);
    }

    /** Adds them to an object. */
    public void addTo(JsonObject figures) {
        figures.put("bytes", bytes)
                .put("movedBytes", movedBytes)
                .put("zeroBytes", zeroBytes)
                .put("keptBytes", keptBytes)
                .put("chunksAgain", chunksAgain)
                .put("reconnects", reconnects)
                .put("verified", verified)
                .put("durationNs", durationNs)
                .put("bytesPerSecond", Figures.rate(bytes, durationNs));
    }

    /** In one line: {@code 1.0 GiB in 0.512 s, 2.10 GB/s, checksums are right}. */
    public String sentence() {
        StringBuilder line = new StringBuilder(Figures.bytes(bytes) + " in " + Figures.seconds(durationNs) + ", "
                + Figures.bytesPerSecond(Figures.rate(bytes, durationNs)));
        if (keptBytes > 0) {
            line.append(", of which ").append(Figures.bytes(keptBytes)).append(" were there already");
        }
        if (zeroBytes > 0) {
            line.append(", of which ").append(Figures.bytes(zeroBytes)).append(" are zeros that did not go");
        }
        if (reconnects > 0) {
            line.append(", ").append(Figures.count(reconnects)).append(" connection(s) made again");
        }
        return line.append(verified ? ", checksums are right" : ", not verified")
                .toString();
    }
}
