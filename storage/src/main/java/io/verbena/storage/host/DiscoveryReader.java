package io.verbena.storage.host;

import io.verbena.storage.wire.DiscoveryEntry;
import io.verbena.storage.wire.DiscoveryHeader;
import io.verbena.storage.wire.LogPage;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Reads the discovery log page: its header, its entries, and the header again. If that has changed, the reader begins anew. */
final class DiscoveryReader {
    /** More entries, or more changes while reading, are an error of the target. */
    private static final int MOST_RECORDS = 4096;

    private static final int MOST_ATTEMPTS = 16;
    private static final int ENTRIES_PER_PAGE = 4;

    private final DiscoveryHeader header = new DiscoveryHeader();
    private final DiscoveryEntry entry = new DiscoveryEntry();
    private List<DiscoveryRecord> records = new ArrayList<>();
    private boolean readingHeader;
    private boolean underWay;
    private boolean failed;
    private boolean begun;
    private int attempts;
    private long generation;
    private long wanted;

    void begin() {
        underWay = true;
        failed = false;
        attempts = 0;
        restart();
    }

    private void restart() {
        records = new ArrayList<>();
        readingHeader = true;
        begun = false;
    }

    boolean underWay() {
        return underWay;
    }

    boolean failed() {
        return failed;
    }

    List<DiscoveryRecord> records() {
        return records;
    }

    void fill(SubmissionEntry out) {
        long offset = readingHeader ? 0 : DiscoveryHeader.LENGTH + (long) records.size() * DiscoveryEntry.LENGTH;
        int length = readingHeader ? DiscoveryHeader.LENGTH : entriesNow() * DiscoveryEntry.LENGTH;
        NamespaceSurvey.fillLogPage(out, LogPage.DISCOVERY, length, offset);
    }

    /** Bytes of the command. */
    int lengthBytes() {
        return readingHeader ? DiscoveryHeader.LENGTH : entriesNow() * DiscoveryEntry.LENGTH;
    }

    private int entriesNow() {
        return (int) Math.min(ENTRIES_PER_PAGE, wanted - records.size());
    }

    void onPage(MemorySegment page, boolean succeeded) {
        if (!succeeded) {
            end(true);
        } else if (readingHeader) {
            onHeader(page);
        } else {
            onEntries(page);
        }
    }

    private void end(boolean withFailure) {
        underWay = false;
        failed = withFailure;
    }

    private void onHeader(MemorySegment page) {
        header.wrap(page, 0);
        if (begun && header.generation() == generation) {
            end(false);
            return;
        }
        if (Long.compareUnsigned(header.records(), MOST_RECORDS) > 0 || attempts++ == MOST_ATTEMPTS) {
            end(true);
            return;
        }
        restart();
        begun = true;
        generation = header.generation();
        wanted = header.records();
        readingHeader = wanted == 0;
        if (wanted == 0) {
            end(false);
        }
    }

    private void onEntries(MemorySegment page) {
        int count = entriesNow();
        for (int i = 0; i < count; i++) {
            entry.wrap(page, (long) i * DiscoveryEntry.LENGTH);
            records.add(new DiscoveryRecord(
                    entry.subsystemName(),
                    entry.kind(),
                    entry.transport(),
                    entry.address().strip(),
                    entry.service().strip(),
                    entry.port()));
        }
        readingHeader = records.size() == wanted;
    }
}
