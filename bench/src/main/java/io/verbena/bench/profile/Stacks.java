package io.verbena.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Reads the sampled stacks of a recording. */
final class Stacks {

    /** Samples by processor time, where the system has them, see code and system alike: they are used alone. */
    static final String BY_CPU_TIME = "jdk.CPUTimeSample";

    static final String IN_JAVA = "jdk.ExecutionSample";
    static final String IN_NATIVE = "jdk.NativeMethodSample";

    private static final Set<String> BY_WALL_CLOCK = Set.of(IN_JAVA, IN_NATIVE);

    private Stacks() {}

    /** All samples of a recording in a tree, each stack below the name of its thread. */
    static StackTree read(Path recording) throws IOException {
        List<RecordedEvent> cpu = new ArrayList<>();
        List<RecordedEvent> wall = new ArrayList<>();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                String type = event.getEventType().getName();
                if (type.equals(BY_CPU_TIME)) {
                    cpu.add(event);
                } else if (BY_WALL_CLOCK.contains(type)) {
                    wall.add(event);
                }
            }
        }
        StackTree tree = new StackTree("all");
        for (RecordedEvent event : cpu.isEmpty() ? wall : cpu) {
            RecordedStackTrace trace = event.getStackTrace();
            if (trace != null) {
                tree.add(stack(event, trace), 1);
            }
        }
        return tree;
    }

    private static List<String> stack(RecordedEvent event, RecordedStackTrace trace) {
        List<String> names = new ArrayList<>();
        names.add(threadName(event));
        for (RecordedFrame frame : trace.getFrames().reversed()) {
            names.add(name(frame.getMethod()));
        }
        return names;
    }

    private static String threadName(RecordedEvent event) {
        var thread = event.getThread(event.hasField("eventThread") ? "eventThread" : "sampledThread");
        String name = thread == null ? null : thread.getJavaName();
        return name == null
                ? "a thread of the JVM"
                : name.replaceAll("\\d+$", "").strip();
    }

    /** Class and method, lambdas and hidden classes under one name. */
    private static String name(RecordedMethod method) {
        String type = method.getType().getName().replaceAll("[./+]?0x[0-9a-f]+", "");
        return type + "." + method.getName();
    }
}
