package io.verbena.tools.memory;

import static io.verbena.tools.memory.WalkStep.field;
import static io.verbena.tools.memory.WalkStep.passedOn;

import io.verbena.tools.text.Figures;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.Translation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Turns a {@link Translation} into the steps that an adapter takes: the address, the segment table, the virtual address, the page table. */
final class MemoryWalk {

    private MemoryWalk() {}

    static List<WalkStep> steps(Translation at, String process, PageTableKind kind) {
        List<WalkStep> steps = new ArrayList<>();
        steps.add(new WalkStep(
                "Effective address " + hex(at.effectiveAddress()),
                List.of(
                        passedOn("segment ID", String.valueOf(at.segmentId())),
                        passedOn("page number", String.valueOf(at.pageNumber())),
                        passedOn("page offset", hex(at.pageOffset()))),
                "The segment ID selects the entry of the process's segment table."));
        if (!at.segmentValid()) {
            steps.add(new WalkStep(
                    "Segment table of '" + process + "', entry " + at.segmentId(),
                    List.of(field("valid", "no")),
                    "Nothing is mapped there: the fault handler of the process decides, or the access is refused."));
            return steps;
        }
        steps.add(new WalkStep(
                "Segment table of '" + process + "', entry " + at.segmentId(),
                List.of(
                        field("segment ID", String.valueOf(at.segmentId())),
                        passedOn("upper virtual address", hex(at.upperVirtualAddress())),
                        field("valid", "yes"),
                        field("protection", at.segmentWritable() ? "read, write" : "read"),
                        field("length", Figures.bytes(at.segmentLength()))),
                "The segment is mapped to upper virtual address " + hex(at.upperVirtualAddress())
                        + "; the rest of the address is unchanged."));
        steps.add(new WalkStep(
                "Virtual address " + hex(at.virtualAddress()),
                List.of(
                        passedOn("upper virtual address", hex(at.upperVirtualAddress())),
                        passedOn("page number", String.valueOf(at.pageNumber())),
                        field("page offset", hex(at.pageOffset()))),
                at.pinned()
                        ? "The memory is pinned: one addition, without a page table."
                        : "Both together select the entry of the page table."));
        if (!at.pinned()) {
            steps.add(pageEntry(at, kind));
        }
        return steps;
    }

    private static WalkStep pageEntry(Translation at, PageTableKind kind) {
        return new WalkStep(
                "Page table (" + kind.name().toLowerCase(Locale.ROOT) + "), entry of page "
                        + hex(at.upperVirtualAddress()) + ":" + at.pageNumber(),
                List.of(
                        field("upper virtual address", hex(at.upperVirtualAddress())),
                        passedOn("physical page", at.pageValid() ? String.valueOf(at.frame()) : "-"),
                        field("valid", yes(at.pageValid())),
                        field("protection", at.pageValid() ? at.pageWritable() ? "read, write" : "read" : "-"),
                        field("used", yes(at.pageUsed())),
                        field("changed", yes(at.pageChanged()))),
                at.pageValid()
                        ? "The page is in frame " + at.frame() + ": byte " + hex(at.physicalOffset())
                                + " of the frame pool."
                        : "The page is in its file: an access brings it in, and only its connection waits.");
    }

    private static String yes(boolean value) {
        return value ? "yes" : "no";
    }

    static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }
}
