package io.verbena;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.toList;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import io.verbena.verbs.RdmaPeer;
import io.verbena.verbs.Rnic;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Enforces the rules of ARCHITECTURE.md: the permitted dependencies of packages, and the restrictions of engines. */
@Tag("sources")
class ArchitectureTest {

    /** The classes of this module: the class path may have those of others, too. */
    private static final JavaClasses LIBRARY = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importUrl(Rnic.class.getProtectionDomain().getCodeSource().getLocation());

    /** One row of the dependency table: a package and the packages that it may use besides itself and the JDK. */
    private record Row(String room, List<String> mayUse, Verbs verbs) {}

    private enum Verbs {
        NONE,
        VALUES,
        ALL
    }

    private static Row row(String room, Verbs verbs, String... mayUse) {
        return new Row(room, List.of(mayUse), verbs);
    }

    private static final List<Row> TABLE = List.of(
            row(
                    "host",
                    Verbs.ALL,
                    "rnic.iwarp",
                    "rnic.ib",
                    "rnic",
                    "objects",
                    "live",
                    "notify",
                    "engine",
                    "port",
                    "tcp",
                    "shm",
                    "memory",
                    "queue",
                    "wire",
                    "text",
                    "base"),
            row(
                    "rnic.iwarp",
                    Verbs.ALL,
                    "rnic",
                    "objects",
                    "notify",
                    "engine",
                    "iwarp",
                    "survival",
                    "work",
                    "queue",
                    "memory",
                    "port",
                    "text",
                    "base"),
            row(
                    "rnic.ib", Verbs.ALL, "rnic", "objects", "notify", "engine", "ib", "work", "queue", "memory",
                    "port", "wire", "text", "base"),
            row("live", Verbs.ALL, "base", "text"),
            row("rnic", Verbs.ALL, "objects", "notify", "engine", "work", "queue", "memory", "port", "text", "base"),
            row("objects", Verbs.ALL, "notify", "queue", "memory", "text", "base"),
            row("notify", Verbs.ALL, "queue", "base"),
            row("engine", Verbs.NONE, "memory", "port", "base"),
            row("iwarp", Verbs.VALUES, "work", "queue", "memory", "survival", "wire", "base"),
            row("ib", Verbs.VALUES, "work", "queue", "memory", "wire", "base"),
            row("work", Verbs.VALUES, "queue", "memory", "base"),
            row("tcp", Verbs.NONE, "port", "wire", "text", "base"),
            row("shm", Verbs.NONE, "port", "base"),
            row("survival", Verbs.NONE, "wire", "base"),
            row("queue", Verbs.VALUES, "base"),
            row("memory", Verbs.VALUES, "base"),
            row("port", Verbs.NONE, "wire", "base"),
            row("wire", Verbs.NONE, "base"),
            row("text", Verbs.NONE),
            row("base", Verbs.NONE),
            row("verbs", Verbs.ALL));

    /** Packages that are driven from outside: no I/O, thread, clock or randomness of their own. */
    private static final List<String> ENGINES = List.of(
            "rnic",
            "objects",
            "notify",
            "engine",
            "iwarp",
            "ib",
            "work",
            "tcp",
            "shm",
            "survival",
            "queue",
            "memory",
            "port",
            "wire",
            "text",
            "base");

    @TestFactory
    Stream<DynamicTest> everyPackage_usesOnlyWhatItsRowNames() {
        return TABLE.stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.room(),
                        () -> classes()
                                .that(describe("belong to " + row.room(), type -> belongsTo(row.room(), type)))
                                .should()
                                .onlyDependOnClassesThat(allowedTo(row))
                                .as(row.room() + " uses only " + row.mayUse() + ", verbs: " + row.verbs())
                                .allowEmptyShould(true)
                                .check(LIBRARY)));
    }

    @Test
    void everyPackage_hasARow() {
        classes()
                .should(be(
                        resideInAnyPackage(insides(TABLE.stream().map(Row::room).toList()))))
                .as("every class lives in a package that the dependency table names")
                .allowEmptyShould(true)
                .check(LIBRARY);
    }

    @Test
    void simpleNames_areUniqueWithinTheModule() {
        Map<String, List<String>> packages = LIBRARY.stream()
                .filter(resideInAnyPackage(insides(TABLE.stream().map(Row::room).toList())))
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getPackageName, toList())));
        packages.values().removeIf(names -> names.size() == 1);
        assertEquals(Map.of(), packages);
    }

    @Test
    void verbs_holdOnlyShapes() {
        classes()
                .that(resideInAnyPackage(inside("verbs")))
                // The convenience layer, which only calls the verbs.
                .and(DescribedPredicate.not(belongToAnyOf(RdmaPeer.class)))
                .should(be(describe(
                        "an interface, a record, its builder, an enum, an annotation or an exception",
                        ArchitectureTest::isShape)))
                .allowEmptyShould(true)
                .check(LIBRARY);
    }

    @Test
    void engines_openNoSocketsOrChannels() {
        DescribedPredicate<JavaClass> address =
                belongToAnyOf(SocketAddress.class, InetSocketAddress.class, InetAddress.class);
        // wire's pcapng writer is given a channel and writes to it; it opens none.
        noneOf("rnic", "objects", "notify", "port", "shm", "tcp", "wire", "text")
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.channels..")
                        .and(DescribedPredicate.not(
                                address.or(belongToAnyOf(WritableByteChannel.class, Channels.class)))))
                .as("rnic, port, shm, tcp, wire and text name peers by their address and do no I/O")
                .allowEmptyShould(true)
                .check(LIBRARY);
        noneOf("memory")
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.channels..")
                        .and(DescribedPredicate.not(belongToAnyOf(FileChannel.class, FileChannel.MapMode.class))))
                .as("memory maps files and does no other I/O")
                .allowEmptyShould(true)
                .check(LIBRARY);
        noneOf(without(ENGINES, "rnic", "objects", "notify", "memory", "port", "shm", "tcp", "wire", "text"))
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.channels.."))
                .as("an engine does no I/O")
                .allowEmptyShould(true)
                .check(LIBRARY);
    }

    @Test
    void engines_haveNoThreads() {
        noneOf(without(ENGINES, "rnic", "notify", "memory"))
                .should()
                .dependOnClassesThat(
                        belongToAnyOf(Thread.class).or(threadMakers()).or(parking()))
                .as("an engine knows no threads")
                .allowEmptyShould(true)
                .check(LIBRARY);
        // Memory has one thread that never starts, to ask whether a segment can be reached from another thread.
        noneOf("memory")
                .should()
                .accessTargetWhere(calls(Set.of(Thread.class.getName()), Set.of("start", "sleep", "join")))
                .as("the memory starts no thread")
                .allowEmptyShould(true)
                .check(LIBRARY);
        // The RNIC asks which thread calls it and parks or wakes waiters; it makes and starts none.
        noneOf("rnic", "notify")
                .should()
                .dependOnClassesThat(threadMakers())
                .orShould()
                .accessTargetWhere(calls(
                        Set.of(Thread.class.getName()),
                        Set.of(
                                "<init>",
                                "start",
                                "startVirtualThread",
                                "ofVirtual",
                                "ofPlatform",
                                "sleep",
                                "join",
                                "setPriority",
                                "setDaemon")))
                .as("the RNIC makes no threads")
                .allowEmptyShould(true)
                .check(LIBRARY);
    }

    @Test
    void engines_readNoClock() {
        noneOf(ENGINES)
                .should()
                .accessTargetWhere(calls(Set.of("java.lang.System"), Set.of("nanoTime", "currentTimeMillis")))
                .orShould()
                .accessTargetWhere(now())
                .orShould()
                .dependOnClassesThat(resideInAnyPackage("java.time..")
                        .and(describe(
                                "a clock",
                                type -> type.getName().startsWith("java.time.Clock")
                                        || type.getName().equals("java.time.InstantSource"))))
                .as("an engine takes the time as an argument")
                .allowEmptyShould(true)
                .check(LIBRARY);
    }

    @Test
    void engines_rollNoDice() {
        Set<String> sources = Set.of(
                "java.util.Random",
                "java.util.SplittableRandom",
                "java.util.concurrent.ThreadLocalRandom",
                "java.util.random.RandomGeneratorFactory",
                "java.security.SecureRandom");
        noneOf(ENGINES)
                .should()
                .dependOnClassesThat(describe("a source of randomness", type -> sources.contains(type.getName())))
                .orShould()
                .accessTargetWhere(calls(Set.of("java.lang.Math", "java.lang.StrictMath"), Set.of("random")))
                .orShould()
                .accessTargetWhere(calls(Set.of("java.util.random.RandomGenerator"), Set.of("of", "getDefault")))
                .orShould()
                .accessTargetWhere(calls(Set.of("java.util.UUID"), Set.of("randomUUID")))
                .as("an engine is given its random numbers")
                .allowEmptyShould(true)
                .check(LIBRARY);
    }

    @Test
    void nobody_usesUnsafe() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."))
                .as("no class reaches inside the JDK")
                .allowEmptyShould(true)
                .check(LIBRARY);
    }

    private static DescribedPredicate<JavaClass> allowedTo(Row row) {
        return describe("the JDK, its own package, or what its row names", type -> {
            JavaClass element = type.getBaseComponentType();
            String name = element.getPackageName();
            if (!under(name, "io.verbena")) {
                return element.isPrimitive()
                        || under(name, "java")
                        || under(name, "jdk")
                        || under(name, "org.jspecify");
            }
            if (under(name, "io.verbena.verbs")) {
                return row.verbs() == Verbs.ALL || (row.verbs() == Verbs.VALUES && isValue(element));
            }
            String other = roomOf(name);
            return other.equals(row.room()) || row.mayUse().contains(other);
        });
    }

    private static boolean belongsTo(String room, JavaClass type) {
        return room.equals(roomOf(type.getPackageName()));
    }

    /** The row of a package: the one that names it or its nearest parent; empty for none. */
    private static String roomOf(String packageName) {
        return TABLE.stream()
                .map(Row::room)
                .filter(room -> under(packageName, "io.verbena." + room))
                .max(Comparator.comparingInt(String::length))
                .orElse("");
    }

    /** A record, an enum, an exception, an annotation, or a sealed interface over such. */
    private static boolean isValue(JavaClass type) {
        return type.isRecord()
                || type.isEnum()
                || type.isAnnotation()
                || type.isAssignableTo(Throwable.class)
                || (type.isInterface() && type.reflect().isSealed())
                || isBodyOfEnumConstant(type);
    }

    private static boolean isShape(JavaClass type) {
        return type.isInterface()
                || type.isRecord()
                || type.isEnum()
                || type.isAssignableTo(Throwable.class)
                || isBodyOfEnumConstant(type)
                || isBuilder(type)
                || isSwitchTable(type);
    }

    /** A class {@code Builder} within the record that it builds. */
    private static boolean isBuilder(JavaClass type) {
        return type.getSimpleName().equals("Builder")
                && type.getEnclosingClass().map(JavaClass::isRecord).orElse(false);
    }

    private static boolean isBodyOfEnumConstant(JavaClass type) {
        return type.isAssignableTo(Enum.class);
    }

    /** The class that javac adds for a switch over an enum. */
    private static boolean isSwitchTable(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static DescribedPredicate<JavaClass> threadMakers() {
        return describe("a maker of threads", type -> {
            String name = type.getName();
            return name.startsWith("java.lang.Thread$")
                    || name.equals("java.lang.ThreadGroup")
                    || name.startsWith("java.util.Timer")
                    || name.startsWith("java.util.concurrent.Executor")
                    || name.endsWith("ExecutorService")
                    || name.startsWith("java.util.concurrent.ForkJoin")
                    || name.equals("java.util.concurrent.ThreadFactory")
                    || name.equals("java.util.concurrent.CompletableFuture")
                    || name.equals("java.util.concurrent.StructuredTaskScope");
        });
    }

    private static DescribedPredicate<JavaClass> parking() {
        return resideInAnyPackage("java.util.concurrent.locks..");
    }

    private static DescribedPredicate<JavaAccess<?>> calls(Set<String> owners, Set<String> methods) {
        return describe("calls " + methods + " of " + owners, access -> {
            AccessTarget target = access.getTarget();
            return owners.contains(target.getOwner().getName()) && methods.contains(target.getName());
        });
    }

    private static DescribedPredicate<JavaAccess<?>> now() {
        return describe("asks java.time for the time", access -> {
            AccessTarget target = access.getTarget();
            return under(target.getOwner().getPackageName(), "java.time")
                    && target.getName().equals("now");
        });
    }

    private static GivenClassesConjunction noneOf(List<String> rooms) {
        return noClasses().that(resideInAnyPackage(insides(rooms)));
    }

    private static GivenClassesConjunction noneOf(String... rooms) {
        return noneOf(List.of(rooms));
    }

    private static List<String> without(List<String> rooms, String... taken) {
        return rooms.stream()
                .filter(room -> !Arrays.asList(taken).contains(room))
                .toList();
    }

    private static String[] insides(List<String> rooms) {
        return rooms.stream().map(ArchitectureTest::inside).toArray(String[]::new);
    }

    private static String inside(String room) {
        return "io.verbena." + room + "..";
    }

    private static boolean under(String name, String parent) {
        return name.equals(parent) || name.startsWith(parent + ".");
    }
}
