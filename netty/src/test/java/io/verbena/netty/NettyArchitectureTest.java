package io.verbena.netty;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The transport uses stream sockets and what Netty publishes, and prints nothing. */
@Tag("sources")
class NettyArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.netty");

    @Test
    void netty_ofVerbena_usesStreamSocketsAndVerbsOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.verbs", "io.verbena.sockets.stream", "io.verbena.netty.."))))
                .check(CLASSES);
    }

    @Test
    void netty_usesNoInternalsOfNettyOrTheJdk() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.netty..internal..", "sun..", "jdk.internal..", "com.sun.."))
                .check(CLASSES);
    }

    @Test
    void netty_printsNothing() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .check(CLASSES);
    }
}
