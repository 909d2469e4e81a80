package io.verbena.messaging;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.verbena.base.TransitionTable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Messaging uses the public verbs and the transition tables of the library, its protocol is pure, and its packages have
 * an order.
 */
@Tag("sources")
class MessagingArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.messaging");

    @Test
    void messaging_ofVerbena_usesTheVerbsAndTransitionTablesOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage("io.verbena.verbs", "io.verbena.messaging..")))
                        .and(not(belongToAnyOf(TransitionTable.class))))
                .check(CLASSES);
    }

    /** Everything outside of the protocol could run over any provider of the verbs as it is. */
    @Test
    void transitionTables_areUsedByTheProtocolOnly() {
        noClasses()
                .that(resideInAnyPackage("io.verbena.messaging..")
                        .and(not(resideInAnyPackage("io.verbena.messaging.protocol"))))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena.base.."))
                .check(CLASSES);
    }

    @Test
    void protocol_isPure() {
        noClasses()
                .that()
                .resideInAPackage("io.verbena.messaging.protocol")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.verbs..",
                        "java.net..",
                        "java.nio.channels..",
                        "java.util.concurrent..",
                        "java.util.random.."))
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat(belongToAnyOf(Thread.class, java.util.Random.class))
                .check(CLASSES);
    }

    /** The order of the packages: ranks, transfer, channels, ring, protocol, policy. Each knows only those after it. */
    @Test
    void packages_haveNoCycle() {
        noClasses()
                .that()
                .resideInAPackage("io.verbena.messaging.transfer")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena.messaging", "io.verbena.messaging.collective"))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.verbena.messaging.ring")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.messaging", "io.verbena.messaging.channel", "io.verbena.messaging.start"))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.verbena.messaging.protocol")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.messaging",
                        "io.verbena.messaging.channel",
                        "io.verbena.messaging.start",
                        "io.verbena.messaging.ring"))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.verbena.messaging.policy")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.messaging", "io.verbena.messaging.ring", "io.verbena.messaging.protocol"))
                .check(CLASSES);
    }

    @Test
    void noClass_usesUnsafe() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."))
                .check(CLASSES);
    }
}
