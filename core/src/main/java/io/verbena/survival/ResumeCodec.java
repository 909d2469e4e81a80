package io.verbena.survival;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Messages of the resume exchange as bytes. A receiver first asks for the {@link #id}, which needs no state and no
 * cryptography, then {@linkplain #open opens} the message with the secret of the association that has this id.
 */
public final class ResumeCodec {

    /** Maximum number of results in a message. */
    public static final int MAX_RESULTS = 32;

    /** The highest epoch: an association that fails over every millisecond reaches it in 8,900 years. */
    public static final long MAX_EPOCH = 1L << 48;

    private static final int LEAST = ResumeHeader.LENGTH + AssociationSecret.CODE_LENGTH;

    private ResumeCodec() {}

    /** The bytes of a message. Those of UNKNOWN have no code. */
    public static byte[] encode(ResumeMessage message, AssociationId id, AssociationSecret secret) {
        byte[] bytes = plain(message, id);
        int signed = bytes.length - AssociationSecret.CODE_LENGTH;
        System.arraycopy(secret.code(bytes, signed), 0, bytes, signed, AssociationSecret.CODE_LENGTH);
        return bytes;
    }

    /**
     * The answer to a RESUME that cannot be opened, of the smallest length that a message has: never more than was
     * received. Nothing of it depends on whether the id is known.
     */
    public static byte[] unknown(byte[] resume) {
        ResumeHeader header = new ResumeHeader().wrap(MemorySegment.ofArray(resume), 0);
        return plain(
                new ResumeMessage(ResumeType.UNKNOWN, 1 - header.side(), header.epoch(), ResumePoint.none()),
                header.id());
    }

    private static byte[] plain(ResumeMessage message, AssociationId id) {
        List<RecordedResult> results = message.progress().results();
        if (results.size() > MAX_RESULTS) {
            throw new IllegalArgumentException(
                    "a message has at most " + MAX_RESULTS + " results, not " + results.size());
        }
        byte[] bytes = new byte[LEAST + results.size() * ResumeResult.LENGTH];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        new ResumeHeader()
                .wrap(memory, 0)
                .magic(ResumeHeader.MAGIC)
                .version(ResumeHeader.VERSION)
                .type(message.type().code())
                .side(message.side())
                .count(results.size())
                .length(bytes.length)
                .id(id)
                .epoch(message.epoch())
                .completed(message.progress().completed())
                .executed(message.progress().executed());
        ResumeResult entry = new ResumeResult();
        for (int i = 0; i < results.size(); i++) {
            entry.wrap(memory, at(i))
                    .number(results.get(i).number())
                    .original(results.get(i).original());
        }
        return bytes;
    }

    private static int at(int result) {
        return ResumeHeader.LENGTH + result * ResumeResult.LENGTH;
    }

    /** The id in bytes that have the shape of a message; empty for all other bytes, which get no answer. */
    public static Optional<AssociationId> id(byte[] bytes) {
        if (bytes.length < LEAST) {
            return Optional.empty();
        }
        ResumeHeader header = new ResumeHeader().wrap(MemorySegment.ofArray(bytes), 0);
        return hasShape(header, bytes.length) ? Optional.of(header.id()) : Optional.empty();
    }

    private static boolean hasShape(ResumeHeader header, int length) {
        return header.magic() == ResumeHeader.MAGIC
                && header.version() == ResumeHeader.VERSION
                && ResumeType.known(header.type())
                && header.side() <= 1
                && header.count() <= MAX_RESULTS
                && header.length() == length
                && length == LEAST + header.count() * ResumeResult.LENGTH
                && header.epoch() >= 1
                && header.epoch() <= MAX_EPOCH;
    }

    /**
     * The message in bytes that have an {@link #id}, or empty if its code is wrong or a number in it is impossible.
     * UNKNOWN has no code: what it causes must be bearable if an attacker sends it.
     */
    public static Optional<ResumeMessage> open(byte[] bytes, AssociationSecret secret) {
        MemorySegment memory = MemorySegment.ofArray(bytes);
        ResumeHeader header = new ResumeHeader().wrap(memory, 0);
        ResumeType type = ResumeType.of(header.type());
        if (type == ResumeType.UNKNOWN) {
            return Optional.of(new ResumeMessage(type, header.side(), header.epoch(), ResumePoint.none()));
        }
        if (!secret.proves(bytes, bytes.length - AssociationSecret.CODE_LENGTH)
                || header.completed() < 0
                || header.executed() < 0) {
            return Optional.empty();
        }
        return results(memory, header.count())
                .map(results -> new ResumeMessage(
                        type,
                        header.side(),
                        header.epoch(),
                        new ResumePoint(header.completed(), header.executed(), results)));
    }

    /** The results; empty if their numbers do not ascend. */
    private static Optional<List<RecordedResult>> results(MemorySegment memory, int count) {
        List<RecordedResult> results = new ArrayList<>(count);
        ResumeResult entry = new ResumeResult();
        long last = 0;
        for (int i = 0; i < count; i++) {
            entry.wrap(memory, at(i));
            if (entry.number() <= last) {
                return Optional.empty();
            }
            last = entry.number();
            results.add(new RecordedResult(last, entry.original()));
        }
        return Optional.of(results);
    }
}
