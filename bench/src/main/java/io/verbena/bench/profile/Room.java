package io.verbena.bench.profile;

import java.util.List;
import java.util.Locale;

/** The part of the program in which processor time was spent. Constants are tried in order, the innermost frame first. */
enum Room {
    SYSTEM_WRITE("system: write"),
    SYSTEM_READ("system: read"),
    SYSTEM_SELECT("system: epoll"),
    COPY("copying in user space"),
    CHECKSUM("checksum"),
    IWARP("iwarp: framing, checks, placement"),
    WIRE("wire: headers"),
    MEMORY("memory: keys, regions"),
    QUEUE("queue: WQEs and CQEs"),
    RNIC("rnic: scheduling"),
    BASE("base: slabs, lists, doorbells"),
    HOST("host: event loop, spinning, waking"),
    APPLICATION("the application"),
    OTHER("the JVM and the rest");

    /** Where all calls into the C library are. */
    private static final String CALLS = "io.verbena.host.system.Linux.";

    private static final List<String> COPIES = List.of(
            ".copyMemory",
            "Region.copy",
            "ByteBuffer.put",
            ".copyIn",
            ".copyOut",
            ".copyFrom",
            ".bulkCopy",
            "MemorySegment.copy");

    final String title;

    Room(String title) {
        this.title = title;
    }

    /** Where a stack (outermost frame first) was when it was sampled. */
    static Room of(List<String> stack) {
        for (int i = stack.size() - 1; i >= 0; i--) {
            String frame = stack.get(i);
            Room room = ofFrame(frame);
            if (room == HOST) {
                room = ofHost(frame, i < stack.size() - 1 ? stack.get(i + 1) : "");
            }
            // What several calls into the C library share does not say which one it was: its caller does.
            boolean shared = room == HOST && frame.startsWith(CALLS);
            if (room != OTHER && !shared) {
                return room;
            }
        }
        return OTHER;
    }

    private static Room ofFrame(String frame) {
        if (frame.startsWith("sun.nio.ch.EPoll") || frame.contains("SelectorImpl.")) {
            return SYSTEM_SELECT;
        }
        if (frame.startsWith("sun.nio.ch.")) {
            return frame.contains(".write") ? SYSTEM_WRITE : frame.contains(".read") ? SYSTEM_READ : OTHER;
        }
        if (COPIES.stream().anyMatch(frame::contains)) {
            return COPY; // the copy itself is compiled into its caller, so the caller's name tells
        }
        if (frame.startsWith("java.util.zip.CRC32C.")) {
            return CHECKSUM;
        }
        return ofOurs(frame);
    }

    private static Room ofOurs(String frame) {
        if (!frame.startsWith("io.verbena.")) {
            return OTHER;
        }
        String room = frame.substring("io.verbena.".length());
        return switch (room.substring(0, Math.max(0, room.indexOf('.')))) {
            case "iwarp" -> IWARP;
            case "wire" -> WIRE;
            case "memory" -> MEMORY;
            case "queue" -> QUEUE;
            case "rnic", "engine", "notify" -> RNIC;
            case "base", "port" -> BASE;
            case "host" -> HOST;
            case "bench" -> APPLICATION;
            default -> OTHER;
        };
    }

    /** Direct system calls leave no frame of their own but the linker's, which may be hidden; the caller's name identifies them. */
    private static Room ofHost(String frame, String callee) {
        boolean linker = callee.startsWith("java.lang.invoke.") || callee.startsWith("jdk.internal.foreign.");
        if (!linker && !frame.startsWith(CALLS)) {
            return HOST;
        }
        String method = frame.substring(frame.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        if (method.contains("write") || method.contains("send")) {
            return SYSTEM_WRITE;
        }
        if (method.contains("read") || method.contains("recv")) {
            return SYSTEM_READ;
        }
        return method.contains("poll") || method.contains("select") || method.contains("wait") ? SYSTEM_SELECT : HOST;
    }
}
