package io.verbena.host;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Signals that the JDK does not send. */
public final class Signals {

    static final int KILL = 9;
    public static final int CONT = 18;
    public static final int STOP = 19;

    private Signals() {}

    /** Ends this process at once, as the system does. */
    static void killThisProcess() {
        send(ProcessHandle.current().pid(), KILL);
    }

    public static void send(long process, int signal) {
        Linker linker = Linker.nativeLinker();
        MethodHandle kill = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("kill"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            int _ = (int) kill.invokeExact((int) process, signal);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
