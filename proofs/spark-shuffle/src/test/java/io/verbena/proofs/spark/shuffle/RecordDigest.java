package io.verbena.proofs.spark.shuffle;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import scala.Tuple2;

/** The number of records, and a digest of them in their order. */
final class RecordDigest {

    private final MessageDigest digest = sha256();
    private final ByteBuffer head = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);
    private long count;

    static RecordDigest of(Iterator<Tuple2<Long, byte[]>> records) {
        RecordDigest all = new RecordDigest();
        records.forEachRemaining(each -> all.add(each._1(), each._2()));
        return all;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("each Java has SHA-256", e);
        }
    }

    void add(long key, byte[] value) {
        digest.update(head.clear().putLong(key).putInt(value.length).flip());
        digest.update(value);
        count++;
    }

    /** Called once, at the end. */
    @Override
    public String toString() {
        return count + " " + HexFormat.of().formatHex(digest.digest());
    }
}
