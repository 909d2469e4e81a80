package io.verbena.storage;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Block storage uses the public verbs and the transition tables, prints nothing, and its engines know no thread, clock or verbs. */
@Tag("sources")
class StorageArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.storage");

    @Test
    void storage_ofVerbena_usesTheVerbsAndBaseOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.verbs", "io.verbena.base", "io.verbena.text", "io.verbena.storage.."))))
                .check(CLASSES);
    }

    @Test
    void targetAndHost_arePureEngines() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.verbena.storage.wire", "io.verbena.storage.subsystem", "io.verbena.storage.host")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.verbs", "java.util.concurrent..", "java.nio.channels..", "java.io.."))
                .orShould()
                .callMethod(System.class, "nanoTime")
                .check(CLASSES);
    }

    @Test
    void storage_printsNothing() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .check(CLASSES);
    }

    @Test
    void storage_usesNoInternalsOfTheJdk() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."))
                .check(CLASSES);
    }
}
