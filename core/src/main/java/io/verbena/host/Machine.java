package io.verbena.host;

/** Which machine this is, and whether {@link Linux}'s calls can be made on it. */
final class Machine {

    private static final String ARCHITECTURE = System.getProperty("os.arch", "");

    static final boolean X86 = ARCHITECTURE.equals("amd64") || ARCHITECTURE.equals("x86_64");

    private Machine() {}

    /** Why Linux cannot be called directly, one sentence; empty when it can. */
    static String obstacleToLinux() {
        if (!System.getProperty("os.name", "").equals("Linux")) {
            return "Only on Linux are the system's own calls used.";
        }
        if (!X86 && !ARCHITECTURE.equals("aarch64")) {
            return "The system's own calls are used on x86-64 and AArch64 only.";
        }
        Module module = Machine.class.getModule();
        return module.isNativeAccessEnabled()
                ? ""
                : "Native access is not enabled: start Java with --enable-native-access="
                        + (module.isNamed() ? module.getName() : "ALL-UNNAMED")
                        + " to have the system's own calls used.";
    }
}
