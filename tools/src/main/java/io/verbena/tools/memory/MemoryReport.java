package io.verbena.tools.memory;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryFigures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What there is to say of a {@link VirtualMemory}: tables, residency, faults. */
public final class MemoryReport {

    private MemoryReport() {}

    /** Of one that is running: lines of a label and a text. */
    public static List<String[]> lines(VirtualMemory memory) {
        VirtualMemoryFigures figures = memory.figures();
        int pageBytes = memory.options().pageBytes();
        List<String[]> lines = new ArrayList<>();
        lines.add(line(
                "frame pool",
                Figures.count(figures.frames()) + " frames of " + Figures.bytes(pageBytes) + ", "
                        + Figures.count(figures.freeFrames()) + " free"));
        lines.add(line(
                "page table",
                memory.options().tables().name().toLowerCase(Locale.ROOT) + ", "
                        + Figures.count(figures.segments()) + " virtual segments of "
                        + Figures.bytes(figures.mappedBytes())));
        for (AddressSpace space : memory.addressSpaces()) {
            for (AddressSegment segment : space.segments()) {
                lines.add(line(
                        "segment " + segment.id(),
                        "of " + space.name() + ": " + Figures.bytes(segment.length())
                                + (segment.pageable() ? ", pageable" : ", pinned")
                                + (segment.writable() ? "" : ", read only")
                                + (segment.direct() ? ", direct I/O" : "") + ", "
                                + Figures.bytes(segment.residentBytes()) + " resident"));
            }
        }
        lines.add(line(
                "pages",
                Figures.count(figures.faults()) + " faults, " + Figures.count(figures.pagedIn()) + " brought in ("
                        + Figures.count(figures.pagedAhead()) + " ahead), " + Figures.count(figures.evicted())
                        + " taken out, " + Figures.count(figures.written()) + " written, "
                        + Figures.count(figures.failedReads() + figures.failedWrites()) + " failed"));
        return lines;
    }

    private static String[] line(String label, String text) {
        return new String[] {label, text};
    }

    /** Of one that is running, as JSON. */
    public static JsonObject json(VirtualMemory memory) {
        VirtualMemoryFigures figures = memory.figures();
        return new JsonObject()
                .put("frames", figures.frames())
                .put("freeFrames", figures.freeFrames())
                .put("pageBytes", memory.options().pageBytes())
                .put("tables", memory.options().tables().name())
                .put("segments", figures.segments())
                .put("mappedBytes", figures.mappedBytes())
                .put("faults", figures.faults())
                .put("pagedIn", figures.pagedIn())
                .put("pagedAhead", figures.pagedAhead())
                .put("evicted", figures.evicted())
                .put("written", figures.written())
                .put("failedReads", figures.failedReads())
                .put("failedWrites", figures.failedWrites());
    }

    /**
     * Measures paging on this machine: maps a small segment without a file, touches every second page and reads the figures.
     *
     * @return lines, and the same in {@code into}
     */
    public static List<String[]> trial(RnicOptions options, JsonObject into) throws IOException {
        try (Rnic rnic = Rnic.open(options);
                VirtualMemory memory = rnic.openVirtualMemory(
                        io.verbena.verbs.VirtualMemoryOptions.defaults().withReadAheadPages(0))) {
            AddressSpace space = memory.createAddressSpace("trial");
            space.mapPinned(1 << 16);
            AddressSegment segment = space.map(1 << 20);
            int pageBytes = memory.options().pageBytes();
            for (long at = 0; at < segment.length(); at += 2L * pageBytes) {
                segment.swapIn(at, pageBytes);
            }
            into.put("directIo", segment.direct());
            into.put("trial", json(memory));
            into.putStrings(
                    "pageTables",
                    List.of(PageTableKind.values()).stream().map(Enum::name).toList());
            return lines(memory);
        }
    }
}
