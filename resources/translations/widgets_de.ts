<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>ActionRegistry</name>
    <message>
        <source>A command called &quot;%1&quot; has no id.</source>
        <translation>Ein Befehl namens „%1“ hat keine Kennung.</translation>
    </message>
    <message>
        <source>%1: the id is taken by &quot;%2&quot;.</source>
        <translation>%1: die Kennung ist vergeben an „%2“.</translation>
    </message>
    <message>
        <source>%1: the shortcut %2 is taken by &quot;%3&quot;.</source>
        <translation>%1: das Tastenkürzel %2 ist vergeben an „%3“.</translation>
    </message>
    <message>
        <source>%1 has no text.</source>
        <translation>%1 hat keinen Text.</translation>
    </message>
    <message>
        <source>%1 has no menu.</source>
        <translation>%1 hat kein Menü.</translation>
    </message>
    <message>
        <source>%1 has no shortcut.</source>
        <translation>%1 hat kein Tastenkürzel.</translation>
    </message>
    <message>
        <source>%1 has no status tip.</source>
        <translation>%1 hat keinen Statustext.</translation>
    </message>
    <message>
        <source>%1 has no icon.</source>
        <translation>%1 hat kein Symbol.</translation>
    </message>
</context>
<context>
    <name>BlueprintBanner</name>
    <message>
        <source>Changes of what is selected are made in %1 alone, as overrides.</source>
        <translation>Änderungen der Auswahl gelten nur für %1, als Abweichungen.</translation>
    </message>
    <message>
        <source>Every change here is made in all %1 copies of %2 at once, in one undo step.</source>
        <translation>Jede Änderung hier gilt für alle %1 Kopien von %2 zugleich, als ein rücknehmbarer Schritt.</translation>
    </message>
    <message>
        <source>Change all copies</source>
        <translation>Alle Kopien ändern</translation>
    </message>
    <message>
        <source>Back to the drawing</source>
        <translation>Zurück zur Zeichnung</translation>
    </message>
</context>
<context>
    <name>BlueprintPanel</name>
    <message>
        <source>Blueprint</source>
        <translation>Bauplan</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>Auflösen</translation>
    </message>
    <message>
        <source>Group into a blueprint</source>
        <translation>Zum Bauplan gruppieren</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>Kopien</translation>
    </message>
    <message>
        <source>Name of the blueprint</source>
        <translation>Name des Bauplans</translation>
    </message>
    <message>
        <source>Copies of the blueprint</source>
        <translation>Kopien des Bauplans</translation>
    </message>
    <message>
        <source>Rates and latencies become overrides of this copy (Ctrl+Alt+click a part)</source>
        <translation>Raten und Latenzen werden Abweichungen dieser Kopie (Strg+Alt+Klick auf ein Teil)</translation>
    </message>
    <message>
        <source>Its parts are edited one by one again (Ctrl+Shift+G)</source>
        <translation>Seine Teile werden wieder einzeln bearbeitet (Strg+Umschalt+G)</translation>
    </message>
    <message>
        <source>Drawn once, used several times (Ctrl+G)</source>
        <translation>Einmal gezeichnet, mehrmals verwendet (Strg+G)</translation>
    </message>
    <message>
        <source>part of %1</source>
        <translation>Teil von %1</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>Change only %1</source>
        <translation>Nur %1 ändern</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>Verlassen</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>New parts are parts of no blueprint again (Esc)</source>
        <translation>Neue Teile gehören wieder zu keinem Bauplan (Esc)</translation>
    </message>
    <message>
        <source>New parts become parts of every copy (Return)</source>
        <translation>Neue Teile kommen in jede Kopie (Eingabe)</translation>
    </message>
</context>
<context>
    <name>CanvasEditing</name>
    <message>
        <source>Edit the platform</source>
        <translation>Plattform bearbeiten</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>Change bandwidth…</source>
        <translation>Bandbreite ändern…</translation>
    </message>
    <message>
        <source>Change latency…</source>
        <translation>Latenz ändern…</translation>
    </message>
    <message>
        <source>Change speed…</source>
        <translation>Tempo ändern…</translation>
    </message>
    <message>
        <source>Reset override</source>
        <translation>Abweichung aufheben</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Change D%1 bandwidth…</source>
        <translation>Bandbreite von D%1 ändern…</translation>
    </message>
    <message>
        <source>Change D%1 latency…</source>
        <translation>Latenz von D%1 ändern…</translation>
    </message>
    <message>
        <source>Move D%1 inward</source>
        <translation>D%1 nach innen</translation>
    </message>
    <message>
        <source>Move D%1 outward</source>
        <translation>D%1 nach außen</translation>
    </message>
    <message>
        <source>Remove D%1</source>
        <translation>D%1 entfernen</translation>
    </message>
    <message>
        <source>Add dimension outside</source>
        <translation>Dimension außen hinzufügen</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>Tempo</translation>
    </message>
</context>
<context>
    <name>CanvasPainter</name>
    <message>
        <source>1 switch</source>
        <translation>1 Switch</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 Switches</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>Switch %1</source>
        <translation>Switch %1</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>D%1 switch</source>
        <translation>D%1-Switch</translation>
    </message>
    <message>
        <source>%1 busy on the mean</source>
        <translation>im Mittel %1 belegt</translation>
    </message>
    <message>
        <source>%1 busy</source>
        <translation>%1 belegt</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>NPU %1–%2</source>
        <translation>NPU %1–%2</translation>
    </message>
</context>
<context>
    <name>CodeEditor</name>
    <message>
        <source>Text of the program</source>
        <translation>Text des Programms</translation>
    </message>
</context>
<context>
    <name>CollectiveFacts</name>
    <message>
        <source>Chunks</source>
        <translation>Chunks</translation>
    </message>
    <message>
        <source>Chunks per collective</source>
        <translation>Chunks je Kollektiv</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>Direct</source>
        <translation>Direkt</translation>
    </message>
    <message>
        <source>Halving-doubling</source>
        <translation>Halving-Doubling</translation>
    </message>
    <message>
        <source>Double binary tree</source>
        <translation>Doppelter Binärbaum</translation>
    </message>
    <message>
        <source>D%1 algorithm</source>
        <translation>D%1-Algorithmus</translation>
    </message>
    <message>
        <source>All groups</source>
        <translation>Alle Gruppen</translation>
    </message>
    <message>
        <source>Group %1</source>
        <translation>Gruppe %1</translation>
    </message>
    <message>
        <source>, up to %1</source>
        <translation>, bis %1</translation>
    </message>
    <message>
        <source>, from %1</source>
        <translation>, ab %1</translation>
    </message>
    <message>
        <source>, %1 chunks</source>
        <translation>, %1 Chunks</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>Algorithmus</translation>
    </message>
    <message>
        <source>Algorithm of collectives</source>
        <translation>Algorithmus der Kollektive</translation>
    </message>
    <message>
        <source>Fastest: every algorithm known is simulated, for each collective, and the fastest runs</source>
        <translation>Schnellster: jeder bekannte Algorithmus wird für jedes Kollektiv simuliert, und der schnellste läuft</translation>
    </message>
    <message>
        <source>Standard</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>By dimension</source>
        <translation>Je Dimension</translation>
    </message>
    <message>
        <source>Fastest</source>
        <translation>Schnellster</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Find element or command</source>
        <translation>Element oder Befehl suchen</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Go to an NPU, link, task, dimension, file, setting or topic</source>
        <translation>Zu NPU, Link, Task, Dimension, Datei, Einstellung oder Thema gehen</translation>
    </message>
</context>
<context>
    <name>CompareCard</name>
    <message>
        <source>as the baseline</source>
        <translation>wie die Basis</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Make it the baseline</source>
        <translation>Zur Basis machen</translation>
    </message>
    <message>
        <source>Take it out of the comparison</source>
        <translation>Aus dem Vergleich nehmen</translation>
    </message>
    <message>
        <source>never ends</source>
        <translation>endet nie</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>not comparable</source>
        <translation>nicht vergleichbar</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Make %1 the baseline</source>
        <translation>%1 zur Basis machen</translation>
    </message>
    <message>
        <source>Take %1 out of the comparison</source>
        <translation>%1 aus dem Vergleich nehmen</translation>
    </message>
    <message>
        <source>Parts of %1</source>
        <translation>Teile von %1</translation>
    </message>
    <message>
        <source>Design %1, %2</source>
        <translation>Entwurf %1, %2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>No field differs</source>
        <translation>Kein Feld weicht ab</translation>
    </message>
    <message>
        <source>Fields that differ: %1</source>
        <translation>Abweichende Felder: %1</translation>
    </message>
</context>
<context>
    <name>CompareWorkspace</name>
    <message>
        <source>Add designs…</source>
        <translation>Entwürfe hinzufügen…</translation>
    </message>
    <message>
        <source>Swap A and B</source>
        <translation>A und B tauschen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>One time axis</source>
        <translation>Eine Zeitachse</translation>
    </message>
    <message>
        <source>Pin a result, then change something or open another design.
Or drop two to four designs here.</source>
        <translation>Ein Ergebnis anheften, dann etwas ändern oder einen anderen Entwurf öffnen.
Oder hier zwei bis vier Entwürfe ablegen.</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Designs</source>
        <translation>Entwürfe</translation>
    </message>
    <message>
        <source>Stop running and comparing</source>
        <translation>Laufen und Vergleichen stoppen</translation>
    </message>
    <message>
        <source>A and B change places (S)</source>
        <translation>A und B tauschen die Plätze (S)</translation>
    </message>
    <message>
        <source>Run designs from files and compare them</source>
        <translation>Entwürfe aus Dateien starten und vergleichen</translation>
    </message>
    <message>
        <source>Comparing was stopped</source>
        <translation>Der Vergleich wurde gestoppt</translation>
    </message>
    <message>
        <source>What the colours of the runs mean</source>
        <translation>Was die Farben der Läufe bedeuten</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Kennzahlen</translation>
    </message>
    <message>
        <source>Nothing is compared yet.</source>
        <translation>Noch nichts verglichen.</translation>
    </message>
    <message>
        <source>Fields</source>
        <translation>Felder</translation>
    </message>
    <message>
        <source>Fields that differ</source>
        <translation>Abweichende Felder</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>There is no result to pin yet.</source>
        <translation>Es gibt noch kein Ergebnis zum Anheften.</translation>
    </message>
    <message>
        <source>Pinned for comparing: %1</source>
        <translation>Zum Vergleich angeheftet: %1</translation>
    </message>
    <message>
        <source>This result is pinned already.</source>
        <translation>Dieses Ergebnis ist schon angeheftet.</translation>
    </message>
    <message>
        <source>Four designs are compared at most. Take one out first.</source>
        <translation>Höchstens vier Entwürfe werden verglichen. Erst einen herausnehmen.</translation>
    </message>
    <message>
        <source>Four designs are compared at most. Not added: %1</source>
        <translation>Höchstens vier Entwürfe werden verglichen. Nicht hinzugefügt: %1</translation>
    </message>
    <message>
        <source>%1 was compared the last time and cannot be run: %2</source>
        <translation>%1 war beim letzten Vergleich dabei und lässt sich nicht starten: %2</translation>
    </message>
    <message>
        <source>The designs could not be compared: %1</source>
        <translation>Die Entwürfe konnten nicht verglichen werden: %1</translation>
    </message>
    <message>
        <source>Four designs are compared at most. Added of these: %1</source>
        <translation>Höchstens vier Entwürfe werden verglichen. Davon hinzugefügt: %1</translation>
    </message>
    <message>
        <source>%1 of at most %2</source>
        <translation>%1 von höchstens %2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>%1 run different workloads.</source>
        <translation>%1 haben verschiedene Lasten.</translation>
    </message>
    <message>
        <source>%1 are of different models.</source>
        <translation>%1 haben verschiedene Modelle.</translation>
    </message>
    <message>
        <source>The designs do not differ in any field.</source>
        <translation>Die Entwürfe unterscheiden sich in keinem Feld.</translation>
    </message>
    <message>
        <source>Fields that differ: %1</source>
        <translation>Abweichende Felder: %1</translation>
    </message>
    <message>
        <source>Pin a baseline, change something.</source>
        <translation>Eine Basis anheften, etwas ändern.</translation>
    </message>
    <message>
        <source>Running the designs between…</source>
        <translation>Die Entwürfe dazwischen laufen…</translation>
    </message>
    <message>
        <source>Stopped. Swap, pin or change something to compare again.</source>
        <translation>Gestoppt. Tauschen, Anheften oder Ändern vergleicht wieder.</translation>
    </message>
    <message>
        <source>Run %1 of %2</source>
        <translation>Lauf %1 von %2</translation>
    </message>
</context>
<context>
    <name>ComparedTimelines</name>
    <message>
        <source>Runs on one time axis</source>
        <translation>Läufe auf einer Zeitachse</translation>
    </message>
    <message>
        <source>%1 %2: %3</source>
        <translation>%1 %2: %3</translation>
    </message>
    <message>
        <source>never ends</source>
        <translation>endet nie</translation>
    </message>
</context>
<context>
    <name>Count</name>
    <message>
        <source>1 NPU</source>
        <translation>1 NPU</translation>
    </message>
    <message>
        <source>%1 NPUs</source>
        <translation>%1 NPUs</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 Rang</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 Ränge</translation>
    </message>
    <message>
        <source>1 switch</source>
        <translation>1 Switch</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 Switches</translation>
    </message>
</context>
<context>
    <name>DesignActions</name>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>, without %1</source>
        <translation>, ohne %1</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>%1 hinzufügen</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>Move %1 inward to %2</source>
        <translation>%1 nach innen auf %2</translation>
    </message>
    <message>
        <source>Move %1 outward to %2</source>
        <translation>%1 nach außen auf %2</translation>
    </message>
    <message>
        <source>%1 shape %2</source>
        <translation>%1 Form %2</translation>
    </message>
    <message>
        <source>%1 size %2</source>
        <translation>%1 Größe %2</translation>
    </message>
    <message>
        <source>%1 bandwidth %2 per NPU</source>
        <translation>%1 Bandbreite %2 je NPU</translation>
    </message>
    <message>
        <source>%1 bandwidth %2</source>
        <translation>%1 Bandbreite %2</translation>
    </message>
    <message>
        <source>%1 latency %2</source>
        <translation>%1 Latenz %2</translation>
    </message>
    <message>
        <source>%1 bandwidth</source>
        <translation>%1 Bandbreite</translation>
    </message>
    <message>
        <source>%1 latency</source>
        <translation>%1 Latenz</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>%1 zurücksetzen</translation>
    </message>
    <message>
        <source>Restore %1</source>
        <translation>%1 wiederherstellen</translation>
    </message>
    <message>
        <source>NPU %1 speed %2</source>
        <translation>NPU %1 Tempo %2</translation>
    </message>
    <message>
        <source>NPU %1 peak %2</source>
        <translation>NPU %1 Spitzenleistung %2</translation>
    </message>
    <message>
        <source>NPU %1 memory %2</source>
        <translation>NPU %1 Speicher %2</translation>
    </message>
    <message>
        <source>Reset NPU %1</source>
        <translation>NPU %1 zurücksetzen</translation>
    </message>
    <message>
        <source>Remove NPU %1</source>
        <translation>NPU %1 entfernen</translation>
    </message>
    <message>
        <source>Restore NPU %1</source>
        <translation>NPU %1 wiederherstellen</translation>
    </message>
    <message>
        <source>NPU peak %1</source>
        <translation>NPU-Spitzenleistung %1</translation>
    </message>
    <message>
        <source>NPU memory %1</source>
        <translation>NPU-Speicher %1</translation>
    </message>
    <message>
        <source>NPU memory bandwidth %1</source>
        <translation>NPU-Speicherbandbreite %1</translation>
    </message>
    <message>
        <source>NPU budget %1</source>
        <translation>NPU-Budget %1</translation>
    </message>
    <message>
        <source>%1 algorithm %2</source>
        <translation>%1 Algorithmus %2</translation>
    </message>
    <message>
        <source>%1 chunks</source>
        <translation>%1 Chunks</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>D%1 switch</source>
        <translation>D%1-Switch</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>Fully connected</source>
        <translation>Vollvermascht</translation>
    </message>
    <message>
        <source>Switch</source>
        <translation>Switch</translation>
    </message>
    <message>
        <source>%1. Expected: %2</source>
        <translation>%1. Erwartet: %2</translation>
    </message>
    <message>
        <source>fastest algorithm</source>
        <translation>schnellster Algorithmus</translation>
    </message>
    <message>
        <source>algorithm by dimension</source>
        <translation>Algorithmus je Dimension</translation>
    </message>
</context>
<context>
    <name>DesignDocument</name>
    <message>
        <source>Untitled.yaml</source>
        <translation>Unbenannt.yaml</translation>
    </message>
    <message>
        <source>Reload from disk</source>
        <translation>Neu von der Platte geladen</translation>
    </message>
</context>
<context>
    <name>DesignPanel</name>
    <message>
        <source>Design</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Design as a table</source>
        <translation>Entwurf als Tabelle</translation>
    </message>
    <message>
        <source>YAML</source>
        <translation>YAML</translation>
    </message>
    <message>
        <source>Design as YAML</source>
        <translation>Entwurf als YAML</translation>
    </message>
    <message>
        <source>Overrides</source>
        <translation>Abweichungen</translation>
    </message>
    <message>
        <source>NPU</source>
        <translation>NPU</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>Kollektive</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Reset override</source>
        <translation>Abweichung aufheben</translation>
    </message>
    <message>
        <source>The text has an error in line %1. &lt;a href=&quot;line&quot;&gt;Show it&lt;/a&gt;</source>
        <translation>Der Text hat einen Fehler in Zeile %1. &lt;a href=&quot;line&quot;&gt;Zeigen&lt;/a&gt;</translation>
    </message>
</context>
<context>
    <name>DimensionDelegate</name>
    <message>
        <source>Fully conn.</source>
        <translation>Vollverm.</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Voll</translation>
    </message>
</context>
<context>
    <name>DimensionModel</name>
    <message>
        <source>Dimension %1</source>
        <translation>Dimension %1</translation>
    </message>
    <message>
        <source>D%1 %2: %3</source>
        <translation>D%1 %2: %3</translation>
    </message>
    <message>
        <source>%1 = %2 = %3</source>
        <translation>%1 = %2 = %3</translation>
    </message>
    <message>
        <source>Drag to reorder</source>
        <translation>Ziehen ändert die Reihenfolge</translation>
    </message>
    <message>
        <source>Dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Per link
GB/s</source>
        <translation>Je Link
GB/s</translation>
    </message>
    <message>
        <source>Per NPU
GB/s</source>
        <translation>Je NPU
GB/s</translation>
    </message>
    <message>
        <source>Latency
µs</source>
        <translation>Latenz
µs</translation>
    </message>
    <message>
        <source>Enter a whole number from 1 to 1048576</source>
        <translation>Ganze Zahl von 1 bis 1048576 eingeben</translation>
    </message>
    <message>
        <source>shape %1</source>
        <translation>Form %1</translation>
    </message>
    <message>
        <source>size %1</source>
        <translation>Größe %1</translation>
    </message>
    <message>
        <source>latency %1</source>
        <translation>Latenz %1</translation>
    </message>
    <message>
        <source>bandwidth %1</source>
        <translation>Bandbreite %1</translation>
    </message>
</context>
<context>
    <name>DimensionSliders</name>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Value before</source>
        <translation>Voriger Wert</translation>
    </message>
    <message>
        <source>Per NPU</source>
        <translation>Je NPU</translation>
    </message>
    <message>
        <source>D%1 bandwidth</source>
        <translation>D%1-Bandbreite</translation>
    </message>
    <message>
        <source>D%1 latency</source>
        <translation>D%1-Latenz</translation>
    </message>
    <message>
        <source>was %1</source>
        <translation>war %1</translation>
    </message>
</context>
<context>
    <name>DimensionTable</name>
    <message>
        <source>Counts</source>
        <translation>Anzahlen</translation>
    </message>
    <message>
        <source>+ Dimension</source>
        <translation>+ Dimension</translation>
    </message>
    <message>
        <source>Adds a dimension outside the others</source>
        <translation>Fügt außen eine Dimension hinzu</translation>
    </message>
    <message>
        <source>NPU</source>
        <translation>NPU</translation>
    </message>
    <message>
        <source>NPUs</source>
        <translation>NPUs</translation>
    </message>
    <message>
        <source>link</source>
        <translation>Link</translation>
    </message>
    <message>
        <source>links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>switch</source>
        <translation>Switch</translation>
    </message>
    <message>
        <source>switches</source>
        <translation>Switches</translation>
    </message>
    <message>
        <source>1 NPU removed</source>
        <translation>1 NPU entfernt</translation>
    </message>
    <message>
        <source>%1 NPUs removed</source>
        <translation>%1 NPUs entfernt</translation>
    </message>
</context>
<context>
    <name>DimensionView</name>
    <message>
        <source>Dimensions</source>
        <translation>Dimensionen</translation>
    </message>
</context>
<context>
    <name>DocumentFiles</name>
    <message>
        <source>it is open in another window</source>
        <translation>sie ist in einem anderen Fenster offen</translation>
    </message>
    <message>
        <source>a file that no other window has open</source>
        <translation>eine Datei, die in keinem anderen Fenster offen ist</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Ungespeicherte Änderungen</translation>
    </message>
    <message>
        <source>%1 has unsaved changes. Save them?</source>
        <translation>%1 hat ungespeicherte Änderungen. Speichern?</translation>
    </message>
    <message>
        <source>Recover unsaved changes</source>
        <translation>Ungespeicherte Änderungen wiederherstellen</translation>
    </message>
    <message>
        <source>%1 was not saved before the program ended. Its last automatic copy is from %2. Open it?</source>
        <translation>%1 war nicht gespeichert, als das Programm endete. Die letzte automatische Kopie ist von %2. Öffnen?</translation>
    </message>
    <message>
        <source>Ask me later</source>
        <translation>Später fragen</translation>
    </message>
    <message>
        <source>Not saved: %1. The old file is unchanged.</source>
        <translation>Nicht gespeichert: %1. Die alte Datei ist unverändert.</translation>
    </message>
    <message>
        <source>%1 copy.%2</source>
        <translation>%1 Kopie.%2</translation>
    </message>
</context>
<context>
    <name>DrawWorkspace</name>
    <message>
        <source>Draw</source>
        <translation>Zeichnen</translation>
    </message>
    <message>
        <source>Parts, drawing and selection</source>
        <translation>Teile, Zeichnung und Auswahl</translation>
    </message>
    <message>
        <source>Drawing and issues</source>
        <translation>Zeichnung und Probleme</translation>
    </message>
    <message>
        <source>Selection and figures</source>
        <translation>Auswahl und Kennzahlen</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>Plan on levels</source>
        <translation>Plan auf Ebenen</translation>
    </message>
    <message>
        <source>Force</source>
        <translation>Kräfte</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>How parts are put; two or more that are selected by themselves</source>
        <translation>Wie Teile gesetzt werden; sind zwei oder mehr ausgewählt, nur diese</translation>
    </message>
    <message>
        <source>Lay out again (Ctrl+Alt+L)</source>
        <translation>Neu anordnen (Strg+Alt+L)</translation>
    </message>
    <message>
        <source>Zoom out of the drawing</source>
        <translation>Zeichnung verkleinern</translation>
    </message>
    <message>
        <source>Zoom into the drawing</source>
        <translation>Zeichnung vergrößern</translation>
    </message>
    <message>
        <source>Fit the drawing</source>
        <translation>Zeichnung einpassen</translation>
    </message>
    <message>
        <source>Stop; parts stay where they are (Esc: as before)</source>
        <translation>Stoppen; Teile bleiben, wo sie sind (Esc: wie zuvor)</translation>
    </message>
    <message>
        <source>Issues of the drawing</source>
        <translation>Probleme der Zeichnung</translation>
    </message>
    <message>
        <source>complete the missing numbers</source>
        <translation>fehlende Zahlen ergänzen</translation>
    </message>
    <message>
        <source>Write out as nodes and links</source>
        <translation>Als Knoten und Links ausschreiben</translation>
    </message>
    <message>
        <source>Show all NPUs</source>
        <translation>Alle NPUs zeigen</translation>
    </message>
    <message>
        <source>Show levels</source>
        <translation>Ebenen zeigen</translation>
    </message>
    <message>
        <source>Drag a count, or the divider between ports down and up; arrows do the same.</source>
        <translation>An einer Anzahl oder am Teiler zwischen Ports nach unten und oben ziehen; Pfeiltasten tun dasselbe.</translation>
    </message>
    <message>
        <source>Parts are drawn where the fabric is written as nodes and links.</source>
        <translation>Teile werden gezeichnet, wo das Netz als Knoten und Links dasteht.</translation>
    </message>
    <message>
        <source>The text of the design is still being read. Try again in a moment.</source>
        <translation>Der Text des Entwurfs wird noch gelesen. Gleich noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The text of the design has errors. Correct it before the fabric is written out.</source>
        <translation>Der Text des Entwurfs hat Fehler. Sie sind zu beheben, bevor das Netz ausgeschrieben wird.</translation>
    </message>
    <message>
        <source>Too large to draw part by part: %1 parts, at most %2. Change it as levels.</source>
        <translation>Zu groß, um Teil für Teil gezeichnet zu werden: %1 Teile, höchstens %2. Als Ebenen ändern.</translation>
    </message>
    <message>
        <source>Too large to draw part by part: %1 links, at most %2.</source>
        <translation>Zu groß, um Teil für Teil gezeichnet zu werden: %1 Links, höchstens %2.</translation>
    </message>
    <message>
        <source>write out as nodes and links</source>
        <translation>als Knoten und Links ausschreiben</translation>
    </message>
    <message>
        <source>add %1</source>
        <translation>%1 hinzufügen</translation>
    </message>
    <message>
        <source>fabric %1</source>
        <translation>Netz %1</translation>
    </message>
</context>
<context>
    <name>DropTarget</name>
    <message>
        <source>Drop files to open them</source>
        <translation>Dateien ablegen, um sie zu öffnen</translation>
    </message>
    <message>
        <source>Drop the file to open it</source>
        <translation>Datei ablegen, um sie zu öffnen</translation>
    </message>
    <message>
        <source>Drop %1 files to open them</source>
        <translation>%1 Dateien ablegen, um sie zu öffnen</translation>
    </message>
    <message>
        <source>Designs, saved runs, ASTRA-sim inputs, Chakra traces</source>
        <translation>Entwürfe, gespeicherte Läufe, ASTRA-sim-Eingaben, Chakra-Traces</translation>
    </message>
</context>
<context>
    <name>EffectsChart</name>
    <message>
        <source>Main effects</source>
        <translation>Haupteffekte</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Designs have not run yet, or no parameter has two values.</source>
        <translation>Noch keine Entwürfe gelaufen, oder kein Parameter hat zwei Werte.</translation>
    </message>
    <message>
        <source>spans %1</source>
        <translation>umfasst %1</translation>
    </message>
    <message>
        <source>The means of each value stand here once designs have run.</source>
        <translation>Hier stehen die Mittel jedes Werts, sobald Entwürfe gelaufen sind.</translation>
    </message>
</context>
<context>
    <name>ElementEditor</name>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitzenleistung</translation>
    </message>
    <message>
        <source>Memory bandwidth</source>
        <translation>Speicherbandbreite</translation>
    </message>
    <message>
        <source>Factor on its compute speed: 0.5 is half as fast</source>
        <translation>Faktor auf ihr Rechentempo: 0,5 ist halb so schnell</translation>
    </message>
    <message>
        <source>Reset override</source>
        <translation>Abweichung aufheben</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
</context>
<context>
    <name>ExplanationView</name>
    <message>
        <source>If 10 % faster, and how far that holds</source>
        <translation>Bei 10 % mehr Tempo, und wie weit das gilt</translation>
    </message>
    <message>
        <source>How far each number may change: %1</source>
        <translation>Wie weit sich jede Zahl ändern darf: %1</translation>
    </message>
    <message>
        <source>Going back from the end: %1</source>
        <translation>Vom Ende zurück: %1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
    <message>
        <source>Ranges were not looked for.</source>
        <translation>Bereiche wurden nicht gesucht.</translation>
    </message>
    <message>
        <source>What the finish hangs on, from the end of the run back to its start.</source>
        <translation>Woran das Ende hängt, vom Schluss des Laufs zurück zum Anfang.</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>Kritischer Pfad</translation>
    </message>
    <message>
        <source>Lower bound %1, %2 reached. It is set by %3.</source>
        <translation>Untere Schranke %1, zu %2 erreicht. Sie kommt von: %3.</translation>
    </message>
    <message>
        <source>Show on timeline</source>
        <translation>Auf der Zeitachse</translation>
    </message>
    <message>
        <source>shown by %1</source>
        <translation>gezeigt von %1</translation>
    </message>
    <message>
        <source>Shown by %1</source>
        <translation>Gezeigt von %1</translation>
    </message>
    <message>
        <source>Try %1</source>
        <translation>%1 probieren</translation>
    </message>
    <message>
        <source>Sets %1; can be undone</source>
        <translation>Setzt %1; lässt sich zurücknehmen</translation>
    </message>
</context>
<context>
    <name>FabricBar</name>
    <message>
        <source>1 NPU</source>
        <translation>1 NPU</translation>
    </message>
    <message>
        <source>%1 NPUs</source>
        <translation>%1 NPUs</translation>
    </message>
    <message>
        <source>1 switch</source>
        <translation>1 Switch</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 Switches</translation>
    </message>
    <message>
        <source>1 cable</source>
        <translation>1 Kabel</translation>
    </message>
    <message>
        <source>%1 cables</source>
        <translation>%1 Kabel</translation>
    </message>
    <message>
        <source>, bisection %1 cables</source>
        <translation>, Bisektion %1 Kabel</translation>
    </message>
    <message>
        <source>, diameter 1 link</source>
        <translation>, Durchmesser 1 Link</translation>
    </message>
    <message>
        <source>, diameter %1 links</source>
        <translation>, Durchmesser %1 Links</translation>
    </message>
    <message>
        <source>Fabric</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Fabric in one line</source>
        <translation>Netz in einer Zeile</translation>
    </message>
    <message>
        <source>for example %1</source>
        <translation>zum Beispiel %1</translation>
    </message>
    <message>
        <source>A part, then what joins so many of it, from below (Ctrl+K). Return takes it, Esc leaves it.</source>
        <translation>Ein Teil, dann was so viele davon verbindet, von unten her (Strg+K). Eingabe übernimmt, Esc verlässt.</translation>
    </message>
    <message>
        <source>, without the memory</source>
        <translation>, ohne den Speicher</translation>
    </message>
    <message>
        <source>, without the %1 memories</source>
        <translation>, ohne die %1 Speicher</translation>
    </message>
    <message>
        <source>A memory is part of the graph: figures are of fabrics of NPUs and switches only</source>
        <translation>Zum Graphen gehört ein Speicher: Kennzahlen gibt es nur für Netze aus NPUs und Switches</translation>
    </message>
    <message>
        <source>No figures: %1</source>
        <translation>Keine Kennzahlen: %1</translation>
    </message>
    <message>
        <source>Next: xN, then / and what joins them, such as / leaf 64p</source>
        <translation>Weiter: xN, dann / und was sie verbindet, etwa / leaf 64p</translation>
    </message>
    <message>
        <source>Next: rails 64p, leaf 64p or a family such as torus 4x4x8</source>
        <translation>Weiter: rails 64p, leaf 64p oder eine Familie wie torus 4x4x8</translation>
    </message>
    <message>
        <source>Next: spine 2:1 or core 2:1</source>
        <translation>Weiter: spine 2:1 oder core 2:1</translation>
    </message>
    <message>
        <source>fabric %1</source>
        <translation>Netz %1</translation>
    </message>
</context>
<context>
    <name>FieldCompleter</name>
    <message>
        <source>What may stand here</source>
        <translation>Was hier stehen kann</translation>
    </message>
</context>
<context>
    <name>FiguresView</name>
    <message>
        <source>1 link</source>
        <translation>1 Link</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 Links</translation>
    </message>
    <message>
        <source>NPUs</source>
        <translation>NPUs</translation>
    </message>
    <message>
        <source>Switches</source>
        <translation>Switches</translation>
    </message>
    <message>
        <source>Switches, %1</source>
        <translation>Switches, %1</translation>
    </message>
    <message>
        <source>%1, %2 free</source>
        <translation>%1, %2 frei</translation>
    </message>
    <message>
        <source>    ports used</source>
        <translation>    belegte Ports</translation>
    </message>
    <message>
        <source>%1, %2 up</source>
        <translation>%1, %2 nach oben</translation>
    </message>
    <message>
        <source>Cables</source>
        <translation>Kabel</translation>
    </message>
    <message>
        <source>%1, inside</source>
        <translation>%1, innen</translation>
    </message>
    <message>
        <source>of NPUs</source>
        <translation>von NPUs</translation>
    </message>
    <message>
        <source>Fabric</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Figures of the fabric</source>
        <translation>Kennzahlen des Netzes</translation>
    </message>
    <message>
        <source>Diameter</source>
        <translation>Durchmesser</translation>
    </message>
    <message>
        <source>%1 or more</source>
        <translation>%1 oder mehr</translation>
    </message>
    <message>
        <source>Mean distance</source>
        <translation>Mittlere Entfernung</translation>
    </message>
    <message>
        <source>about %1 links</source>
        <translation>etwa %1 Links</translation>
    </message>
    <message>
        <source>Bisection</source>
        <translation>Bisektion</translation>
    </message>
    <message>
        <source>at most %1 cables</source>
        <translation>höchstens %1 Kabel</translation>
    </message>
    <message>
        <source>%1 cables</source>
        <translation>%1 Kabel</translation>
    </message>
    <message>
        <source>formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>Ways to the farthest</source>
        <translation>Wege zur fernsten NPU</translation>
    </message>
</context>
<context>
    <name>FindingsView</name>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
</context>
<context>
    <name>GainChart</name>
    <message>
        <source>Gain, step by step</source>
        <translation>Gewinn, Schritt für Schritt</translation>
    </message>
    <message>
        <source>%1: %2, then %3</source>
        <translation>%1: %2, dann %3</translation>
    </message>
    <message>
        <source>No step has been taken.</source>
        <translation>Noch kein Schritt genommen.</translation>
    </message>
    <message>
        <source>%1 in all</source>
        <translation>%1 insgesamt</translation>
    </message>
    <message>
        <source>gain, %1</source>
        <translation>Gewinn, %1</translation>
    </message>
    <message>
        <source>time, %1</source>
        <translation>Zeit, %1</translation>
    </message>
    <message>
        <source>axis from %1</source>
        <translation>Achse ab %1</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>No step has been taken. Take one at the right, or search.</source>
        <translation>Noch kein Schritt genommen. Rechts einen nehmen oder suchen.</translation>
    </message>
</context>
<context>
    <name>GalleryView</name>
    <message>
        <source>Put into design</source>
        <translation>In den Entwurf</translation>
    </message>
    <message>
        <source>New design</source>
        <translation>Neuer Entwurf</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>Galerie</translation>
    </message>
    <message>
        <source>Fabrics</source>
        <translation>Netze</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>Hosts</translation>
    </message>
    <message>
        <source>Whole fabrics, with their hosts</source>
        <translation>Ganze Netze, mit ihren Hosts</translation>
    </message>
    <message>
        <source>Machines that stand at the places of a fabric</source>
        <translation>Maschinen an den Plätzen eines Netzes</translation>
    </message>
    <message>
        <source>Gallery of fabrics and hosts</source>
        <translation>Galerie der Netze und Hosts</translation>
    </message>
    <message>
        <source>Put it into the design: a fabric takes the place of the one there, a host that of its hosts (double click, Return or a drag to the page)</source>
        <translation>In den Entwurf setzen: ein Netz ersetzt das vorhandene, ein Host dessen Hosts (Doppelklick, Eingabe oder auf die Seite ziehen)</translation>
    </message>
    <message>
        <source>Start a new design with it</source>
        <translation>Damit einen neuen Entwurf beginnen</translation>
    </message>
</context>
<context>
    <name>GenerateDialog</name>
    <message>
        <source>Generate a program</source>
        <translation>Programm erzeugen</translation>
    </message>
    <message>
        <source>8, or 4 x 2</source>
        <translation>8 oder 4 x 2</translation>
    </message>
    <message>
        <source>Ranks along every axis of the group, axis 0 first</source>
        <translation>Ränge entlang jeder Achse der Gruppe, Achse 0 zuerst</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>Algorithmus</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>Kollektiv</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Pieces one after the other</source>
        <translation>Stücke nacheinander</translation>
    </message>
    <message>
        <source>Root</source>
        <translation>Wurzel</translation>
    </message>
    <message>
        <source>Radix</source>
        <translation>Radix</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>Erzeugen</translation>
    </message>
    <message>
        <source>Ranks: numbers of ranks along the axes, such as 8 or 4 x 2.</source>
        <translation>Ränge: Zahlen der Ränge entlang der Achsen, etwa 8 oder 4 x 2.</translation>
    </message>
    <message>
        <source>Takes %1. Source: %2.</source>
        <translation>Nimmt %1. Quelle: %2.</translation>
    </message>
</context>
<context>
    <name>GraphCanvas</name>
    <message>
        <source>Drawing</source>
        <translation>Zeichnung</translation>
    </message>
    <message>
        <source>An empty page. N puts an NPU, X a switch, M a memory, K draws a link.</source>
        <translation>Leere Seite. N setzt eine NPU, X einen Switch, M einen Speicher, K zieht einen Link.</translation>
    </message>
    <message numerus="yes">
        <source>Drawing of %n nodes</source>
        <translation>
            <numerusform>Zeichnung mit %n Knoten</numerusform>
            <numerusform>Zeichnung mit %n Knoten</numerusform>
        </translation>
    </message>
    <message>
        <source>Selected: %1%2</source>
        <translation>Ausgewählt: %1%2</translation>
    </message>
    <message>
        <source>Edit the drawing</source>
        <translation>Zeichnung bearbeiten</translation>
    </message>
    <message>
        <source>Draw a link</source>
        <translation>Link ziehen</translation>
    </message>
    <message>
        <source>Duplicate with links</source>
        <translation>Mit Links verdoppeln</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Copy as YAML</source>
        <translation>Als YAML kopieren</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Group into a blueprint</source>
        <translation>Zum Bauplan gruppieren</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>Gruppierung auflösen</translation>
    </message>
    <message>
        <source>Enter the blueprint</source>
        <translation>Bauplan öffnen</translation>
    </message>
    <message>
        <source>Change only this copy</source>
        <translation>Nur diese Kopie ändern</translation>
    </message>
    <message>
        <source>Align left</source>
        <translation>Links ausrichten</translation>
    </message>
    <message>
        <source>Align centres</source>
        <translation>Zentriert ausrichten</translation>
    </message>
    <message>
        <source>Align right</source>
        <translation>Rechts ausrichten</translation>
    </message>
    <message>
        <source>Align top</source>
        <translation>Oben ausrichten</translation>
    </message>
    <message>
        <source>Align middles</source>
        <translation>Mittig ausrichten</translation>
    </message>
    <message>
        <source>Align bottom</source>
        <translation>Unten ausrichten</translation>
    </message>
    <message>
        <source>Distribute across</source>
        <translation>Waagrecht verteilen</translation>
    </message>
    <message>
        <source>Distribute down</source>
        <translation>Senkrecht verteilen</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 Links</translation>
    </message>
    <message>
        <source>%1, blueprint × %2</source>
        <translation>%1, Bauplan × %2</translation>
    </message>
    <message>
        <source>%1 at %2, %3</source>
        <translation>%1 bei %2, %3</translation>
    </message>
    <message>
        <source>%1 by %2, %3</source>
        <translation>%1 um %2, %3</translation>
    </message>
    <message>
        <source>Click the part where the link begins, or go to it by arrows and press Return.</source>
        <translation>Das Teil anklicken, bei dem der Link beginnt, oder mit Pfeiltasten hingehen und Eingabe drücken.</translation>
    </message>
    <message>
        <source>%1 × %2, %3</source>
        <translation>%1 × %2, %3</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>%1, joined to %2</source>
        <translation>%1, verbunden mit %2</translation>
    </message>
    <message>
        <source>%1 links, one of them %2</source>
        <translation>%1 Links, einer davon %2</translation>
    </message>
    <message>
        <source>%1 links, the first %2</source>
        <translation>%1 Links, der erste %2</translation>
    </message>
    <message>
        <source>Drop a host or a fabric of the gallery here, type / and a fabric, or put parts: N an NPU, X a switch, M a memory.</source>
        <translation>Host oder Netz aus der Galerie hier ablegen, / und ein Netz eintippen, oder Teile setzen: N eine NPU, X einen Switch, M einen Speicher.</translation>
    </message>
    <message>
        <source>The text of the design has errors. Correct it before anything is drawn.</source>
        <translation>Der Text des Entwurfs hat Fehler. Sie sind zu beheben, bevor gezeichnet wird.</translation>
    </message>
</context>
<context>
    <name>GraphChangeTexts</name>
    <message>
        <source>%1, overridden to %2</source>
        <translation>%1, abweichend %2</translation>
    </message>
    <message>
        <source>%1 from %2 to %3</source>
        <translation>%1 von %2 nach %3</translation>
    </message>
    <message>
        <source>Removed by an override</source>
        <translation>Durch eine Abweichung entfernt</translation>
    </message>
    <message>
        <source>Removed from %1 to %2 by an override</source>
        <translation>Von %1 nach %2 durch eine Abweichung entfernt</translation>
    </message>
    <message>
        <source>Speed overridden to %1</source>
        <translation>Tempo abweichend %1</translation>
    </message>
    <message>
        <source>Peak overridden to %1</source>
        <translation>Spitzenleistung abweichend %1</translation>
    </message>
    <message>
        <source>Memory bandwidth overridden to %1</source>
        <translation>Speicherbandbreite abweichend %1</translation>
    </message>
    <message>
        <source>Memory overridden to %1</source>
        <translation>Speicher abweichend %1</translation>
    </message>
</context>
<context>
    <name>GraphEditor</name>
    <message>
        <source>A switch has the same crossbar in every copy. Choose Change all copies to set it.</source>
        <translation>Ein Switch hat in jeder Kopie denselben Crossbar. Mit „Alle Kopien ändern“ lässt er sich setzen.</translation>
    </message>
    <message>
        <source>%1 switches have a limit; at most %2 lose theirs at once.</source>
        <translation>%1 Switches haben eine Grenze; höchstens %2 verlieren ihre auf einmal.</translation>
    </message>
    <message>
        <source>crossbar of %1</source>
        <translation>Crossbar von %1</translation>
    </message>
    <message>
        <source>Select the parts that are to be a blueprint.</source>
        <translation>Die Teile auswählen, die ein Bauplan werden sollen.</translation>
    </message>
    <message>
        <source>group %1 into %2</source>
        <translation>%1 zu %2 gruppieren</translation>
    </message>
    <message>
        <source>Select parts of one blueprint to ungroup it.</source>
        <translation>Zum Auflösen Teile eines Bauplans auswählen.</translation>
    </message>
    <message>
        <source>ungroup %1</source>
        <translation>%1 auflösen</translation>
    </message>
    <message>
        <source>Too large to draw part by part: %1 parts, at most %2. Change it as levels.</source>
        <translation>Zu groß, um Teil für Teil gezeichnet zu werden: %1 Teile, höchstens %2. Als Ebenen ändern.</translation>
    </message>
    <message>
        <source>%1 copies of %2</source>
        <translation>%1 Kopien von %2</translation>
    </message>
    <message>
        <source>name blueprint %1</source>
        <translation>Bauplan %1 nennen</translation>
    </message>
    <message>
        <source>%1 in every %2</source>
        <translation>%1 in jeder Kopie von %2</translation>
    </message>
    <message>
        <source>The design has errors. Correct them before one copy is changed.</source>
        <translation>Der Entwurf hat Fehler. Sie sind zu beheben, bevor eine Kopie geändert wird.</translation>
    </message>
    <message>
        <source>A switch or a memory cannot be missing in one copy alone. Delete its links there, or ungroup.</source>
        <translation>Ein Switch oder Speicher kann nicht nur in einer Kopie fehlen. Seine Links dort löschen oder die Gruppierung auflösen.</translation>
    </message>
    <message>
        <source>delete %1 in one copy</source>
        <translation>%1 in einer Kopie löschen</translation>
    </message>
    <message>
        <source>A part has the same name in every copy. Choose Change all copies to name it.</source>
        <translation>Ein Teil heißt in jeder Kopie gleich. Mit „Alle Kopien ändern“ lässt es sich benennen.</translation>
    </message>
    <message>
        <source>name %1</source>
        <translation>%1 nennen</translation>
    </message>
    <message>
        <source>At most %1 parts are named at once.</source>
        <translation>Höchstens %1 Teile werden auf einmal benannt.</translation>
    </message>
    <message>
        <source>Several parts need several names: write {i} where the number goes, as in gpu{i}.</source>
        <translation>Mehrere Teile brauchen mehrere Namen: {i} steht, wo die Zahl hingehört, wie in gpu{i}.</translation>
    </message>
    <message>
        <source>names %1</source>
        <translation>Namen %1</translation>
    </message>
    <message>
        <source>1 NPU</source>
        <translation>1 NPU</translation>
    </message>
    <message>
        <source>%1 NPUs</source>
        <translation>%1 NPUs</translation>
    </message>
    <message>
        <source>1 switch</source>
        <translation>1 Switch</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 Switches</translation>
    </message>
    <message>
        <source>1 memory</source>
        <translation>1 Speicher</translation>
    </message>
    <message>
        <source>%1 memories</source>
        <translation>%1 Speicher</translation>
    </message>
    <message>
        <source>1 link</source>
        <translation>1 Link</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 Links</translation>
    </message>
    <message>
        <source>The text of the design is still being read. Try again in a moment.</source>
        <translation>Der Text des Entwurfs wird noch gelesen. Gleich noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The text of the design has errors. Correct it before anything is drawn.</source>
        <translation>Der Text des Entwurfs hat Fehler. Sie sind zu beheben, bevor gezeichnet wird.</translation>
    </message>
    <message>
        <source>add %1</source>
        <translation>%1 hinzufügen</translation>
    </message>
    <message>
        <source>A link ends at a part.</source>
        <translation>Ein Link endet an einem Teil.</translation>
    </message>
    <message>
        <source>A link joins two parts.</source>
        <translation>Ein Link verbindet zwei Teile.</translation>
    </message>
    <message>
        <source>They are joined already. Shift draws another link beside it.</source>
        <translation>Sie sind schon verbunden. Mit Umschalt entsteht ein weiterer Link daneben.</translation>
    </message>
    <message>
        <source>link %1 to %2</source>
        <translation>%1 mit %2 verbinden</translation>
    </message>
    <message>
        <source>%1 links to %2</source>
        <translation>%1 Links zu %2</translation>
    </message>
    <message>
        <source>delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>duplicate %1</source>
        <translation>%1 verdoppeln</translation>
    </message>
    <message>
        <source>The clipboard has no nodes. Copy parts of a drawing, or YAML such as nodes: [{name: npu0}].</source>
        <translation>Die Zwischenablage hat keine Knoten. Teile einer Zeichnung kopieren oder YAML wie nodes: [{name: npu0}].</translation>
    </message>
    <message>
        <source>paste 1 part</source>
        <translation>1 Teil einfügen</translation>
    </message>
    <message>
        <source>paste %1 parts</source>
        <translation>%1 Teile einfügen</translation>
    </message>
    <message>
        <source>move %1</source>
        <translation>%1 verschieben</translation>
    </message>
    <message>
        <source>align %1</source>
        <translation>%1 ausrichten</translation>
    </message>
    <message>
        <source>distribute %1</source>
        <translation>%1 verteilen</translation>
    </message>
    <message>
        <source>levels</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>layout %1</source>
        <translation>Anordnung %1</translation>
    </message>
    <message>
        <source>rate of %1 in one copy</source>
        <translation>Rate von %1 in einer Kopie</translation>
    </message>
    <message>
        <source>rate of %1</source>
        <translation>Rate von %1</translation>
    </message>
    <message>
        <source>latency of %1 in one copy</source>
        <translation>Latenz von %1 in einer Kopie</translation>
    </message>
    <message>
        <source>latency of %1</source>
        <translation>Latenz von %1</translation>
    </message>
    <message>
        <source>%1 cannot be changed by that.</source>
        <translation>%1 lässt sich so nicht ändern.</translation>
    </message>
    <message>
        <source>No selected link has a rate to change.</source>
        <translation>Kein ausgewählter Link hat eine Rate.</translation>
    </message>
    <message>
        <source>No selected link has a latency to change.</source>
        <translation>Kein ausgewählter Link hat eine Latenz.</translation>
    </message>
    <message>
        <source>rates of %1 in one copy</source>
        <translation>Raten von %1 in einer Kopie</translation>
    </message>
    <message>
        <source>latencies of %1 in one copy</source>
        <translation>Latenzen von %1 in einer Kopie</translation>
    </message>
    <message>
        <source>rates of %1</source>
        <translation>Raten von %1</translation>
    </message>
    <message>
        <source>latencies of %1</source>
        <translation>Latenzen von %1</translation>
    </message>
    <message>
        <source>reset %1</source>
        <translation>%1 zurücksetzen</translation>
    </message>
    <message>
        <source>Too large for Force: %1 parts, at most %2. Use Levels.</source>
        <translation>Zu groß für Kräfte: %1 Teile, höchstens %2. Besser Ebenen.</translation>
    </message>
    <message>
        <source>layout force</source>
        <translation>Anordnung Kräfte</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>Auswahl</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>Step through</source>
        <translation>Schrittweise</translation>
    </message>
    <message>
        <source>Show on timeline</source>
        <translation>Auf der Zeitachse</translation>
    </message>
    <message>
        <source>Updating</source>
        <translation>Wird erneuert</translation>
    </message>
    <message>
        <source>Partial to %1</source>
        <translation>Nur bis %1</translation>
    </message>
    <message>
        <source>Stuck</source>
        <translation>Blockiert</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Vollständig</translation>
    </message>
    <message>
        <source>Try %1</source>
        <translation>%1 probieren</translation>
    </message>
    <message>
        <source>Show the link</source>
        <translation>Link zeigen</translation>
    </message>
    <message>
        <source>Dimension %1</source>
        <translation>Dimension %1</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
</context>
<context>
    <name>IssuesModel</name>
    <message>
        <source>%1. Expected: %2</source>
        <translation>%1. Erwartet: %2</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>trace node %1</source>
        <translation>Trace-Knoten %1</translation>
    </message>
    <message>
        <source>Issue</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
</context>
<context>
    <name>IssuesView</name>
    <message>
        <source>Issues</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>No issues</source>
        <translation>Keine Probleme</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
</context>
<context>
    <name>LevelsView</name>
    <message>
        <source>Level above</source>
        <translation>Ebene darüber</translation>
    </message>
    <message>
        <source>Remove highest level</source>
        <translation>Oberste Ebene entfernen</translation>
    </message>
    <message>
        <source>Levels of the fabric</source>
        <translation>Ebenen des Netzes</translation>
    </message>
    <message>
        <source>Switches that join two of what there is (U)</source>
        <translation>Switches, die zwei des Vorhandenen verbinden (U)</translation>
    </message>
    <message>
        <source>remove highest level</source>
        <translation>oberste Ebene entfernen</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>oversubscription %1:%2</source>
        <translation>Überbuchung %1:%2</translation>
    </message>
    <message>
        <source>%1, %2 NPUs each</source>
        <translation>%1, je %2 NPUs</translation>
    </message>
    <message>
        <source>%1, %2 ports</source>
        <translation>%1, %2 Ports</translation>
    </message>
    <message>
        <source>%1 below each unit of %2</source>
        <translation>%1 unter jeder Einheit von %2</translation>
    </message>
    <message>
        <source>%1, %2 in all</source>
        <translation>%1, %2 insgesamt</translation>
    </message>
    <message>
        <source>How many one unit of %1 joins: drag, or arrows</source>
        <translation>Wie viele eine Einheit von %1 verbindet: ziehen oder Pfeiltasten</translation>
    </message>
    <message>
        <source>Ports up of %1</source>
        <translation>Ports nach oben von %1</translation>
    </message>
    <message>
        <source>%1 down, %2 up</source>
        <translation>%1 nach unten, %2 nach oben</translation>
    </message>
    <message>
        <source>Ports down and up: drag the divider, or arrows</source>
        <translation>Ports nach unten und oben: am Teiler ziehen oder Pfeiltasten</translation>
    </message>
    <message>
        <source>level above</source>
        <translation>Ebene darüber</translation>
    </message>
    <message>
        <source>%1 in all</source>
        <translation>%1 insgesamt</translation>
    </message>
</context>
<context>
    <name>LogModel</name>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
</context>
<context>
    <name>ManualWindow</name>
    <message>
        <source>Manual</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>Themen</translation>
    </message>
    <message>
        <source>Text of the topic</source>
        <translation>Text des Themas</translation>
    </message>
    <message>
        <source>Find in the manual</source>
        <translation>Im Handbuch suchen</translation>
    </message>
    <message>
        <source>Find in the manual (Ctrl+F)</source>
        <translation>Im Handbuch suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
</context>
<context>
    <name>MissingView</name>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitzenleistung</translation>
    </message>
    <message>
        <source>Memory rate</source>
        <translation>Speicherrate</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>%1, 1 link</source>
        <translation>%1, 1 Link</translation>
    </message>
    <message>
        <source>%1, %2 links</source>
        <translation>%1, %2 Links</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Ergänzen</translation>
    </message>
    <message>
        <source>Missing numbers</source>
        <translation>Fehlende Zahlen</translation>
    </message>
    <message>
        <source>Writes what was typed into the design, as one step</source>
        <translation>Schreibt das Eingetippte in den Entwurf, als einen Schritt</translation>
    </message>
    <message>
        <source>Kinds of links and nodes</source>
        <translation>Arten von Links und Knoten</translation>
    </message>
    <message>
        <source>Numbers are missing for one kind</source>
        <translation>Für eine Art fehlen Zahlen</translation>
    </message>
    <message>
        <source>Numbers are missing for %1 kinds</source>
        <translation>Für %1 Arten fehlen Zahlen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>assumed: %1</source>
        <translation>angenommen: %1</translation>
    </message>
</context>
<context>
    <name>MoveTableModel</name>
    <message>
        <source>%1, %2 to %3</source>
        <translation>%1, %2 bis %3</translation>
    </message>
    <message>
        <source>From → to</source>
        <translation>Zug</translation>
    </message>
    <message>
        <source>Chunk part</source>
        <translation>Chunk-Teil</translation>
    </message>
    <message>
        <source>State at %1</source>
        <translation>Stand bei %1</translation>
    </message>
</context>
<context>
    <name>MoveWhyPanel</name>
    <message>
        <source>Parts of the time</source>
        <translation>Teile der Zeit</translation>
    </message>
    <message>
        <source>Colour of the part</source>
        <translation>Farbe des Teils</translation>
    </message>
    <message>
        <source>Selected move</source>
        <translation>Ausgewählter Zug</translation>
    </message>
    <message>
        <source>No move is selected. Click a token or a row of the list.</source>
        <translation>Kein Zug ausgewählt. Eine Marke oder eine Zeile der Liste anklicken.</translation>
    </message>
    <message>
        <source>Show on timeline</source>
        <translation>Auf der Zeitachse</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Waiting for %1 on the same link</source>
        <translation>Warten auf %1 auf demselben Link</translation>
    </message>
    <message>
        <source>Waiting for %1 of chunk %2</source>
        <translation>Warten auf %1 von Chunk %2</translation>
    </message>
    <message>
        <source>Waiting for busy links on the way</source>
        <translation>Warten auf belegte Links unterwegs</translation>
    </message>
    <message>
        <source>Sending %1 at %2</source>
        <translation>Senden von %1 mit %2</translation>
    </message>
    <message>
        <source>Sending %1</source>
        <translation>Senden von %1</translation>
    </message>
    <message>
        <source>Latency of the link</source>
        <translation>Latenz des Links</translation>
    </message>
    <message>
        <source>Latency, %1 hops of %2</source>
        <translation>Latenz, %1 Sprünge zu %2</translation>
    </message>
    <message>
        <source>Latency, %1 hops</source>
        <translation>Latenz, %1 Sprünge</translation>
    </message>
    <message>
        <source>Reduction: none, the part is only copied</source>
        <translation>Reduktion: keine, der Teil wird nur kopiert</translation>
    </message>
    <message>
        <source>Reduction, overlaps with arrival</source>
        <translation>Reduktion, überlappt mit der Ankunft</translation>
    </message>
    <message>
        <source>Reduction after arrival</source>
        <translation>Reduktion nach der Ankunft</translation>
    </message>
    <message>
        <source>Why %1</source>
        <translation>Warum %1</translation>
    </message>
    <message>
        <source>On an idle path it would take %1. %2 of its time is waiting.</source>
        <translation>Auf freiem Weg dauerte es %1. %2 der Zeit ist Warten.</translation>
    </message>
    <message>
        <source>It waits for nothing: this is the time of an idle path.</source>
        <translation>Er wartet auf nichts: so lange dauert es auf freiem Weg.</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1, %2, %3</translation>
    </message>
    <message>
        <source>%1, chunk part %2</source>
        <translation>%1, Chunk-Teil %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>in flight</source>
        <translation>unterwegs</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
</context>
<context>
    <name>NpuFacts</name>
    <message>
        <source>assumed</source>
        <translation>angenommen</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitzenleistung</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory rate</source>
        <translation>Speicherrate</translation>
    </message>
    <message>
        <source>What needs this figure takes no time</source>
        <translation>Was diese Zahl braucht, kostet keine Zeit</translation>
    </message>
</context>
<context>
    <name>OutlineView</name>
    <message>
        <source>Outline of the design</source>
        <translation>Gliederung des Entwurfs</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>%1, blueprint</source>
        <translation>%1, Bauplan</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>Kopien</translation>
    </message>
    <message>
        <source>NPUs</source>
        <translation>NPUs</translation>
    </message>
    <message>
        <source>Switches</source>
        <translation>Switches</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Changed alone</source>
        <translation>Einzeln geändert</translation>
    </message>
</context>
<context>
    <name>OverridesModel</name>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>speed %1</source>
        <translation>Tempo %1</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1: %2 %3</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>%1 zurücksetzen</translation>
    </message>
</context>
<context>
    <name>OwnershipMatrix</name>
    <message>
        <source>Ownership of chunk parts</source>
        <translation>Besitz der Chunk-Teile</translation>
    </message>
    <message>
        <source>NPUs %1, parts %2–%3: %4 there</source>
        <translation>NPUs %1, Teile %2–%3: %4 da</translation>
    </message>
    <message>
        <source>NPU %1, part %2</source>
        <translation>NPU %1, Teil %2</translation>
    </message>
    <message>
        <source>%1: nothing</source>
        <translation>%1: nichts</translation>
    </message>
    <message>
        <source>%1: passed on</source>
        <translation>%1: weitergegeben</translation>
    </message>
    <message>
        <source>%1: complete</source>
        <translation>%1: vollständig</translation>
    </message>
    <message>
        <source>%1: %2 of %3 contributions</source>
        <translation>%1: %2 von %3 Beiträgen</translation>
    </message>
    <message>
        <source>passed on</source>
        <translation>weiter</translation>
    </message>
    <message>
        <source>some</source>
        <translation>teils</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>voll</translation>
    </message>
    <message>
        <source>not there</source>
        <translation>nicht da</translation>
    </message>
    <message>
        <source>there</source>
        <translation>da</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>to</source>
        <translation>nach</translation>
    </message>
    <message>
        <source>%1 × %2 cells each</source>
        <translation>je %1 × %2 Zellen</translation>
    </message>
</context>
<context>
    <name>PaletteField</name>
    <message>
        <source>Find element or command</source>
        <translation>Element oder Befehl suchen</translation>
    </message>
    <message>
        <source>Find an NPU, link, rank, collective or command</source>
        <translation>NPU, Link, Rang, Kollektiv oder Befehl suchen</translation>
    </message>
</context>
<context>
    <name>ParallelChart</name>
    <message>
        <source>Parallel axes</source>
        <translation>Parallele Achsen</translation>
    </message>
    <message>
        <source>Designs have not run yet.</source>
        <translation>Noch keine Entwürfe gelaufen.</translation>
    </message>
    <message>
        <source>%1 axes, %2 designs</source>
        <translation>%1 Achsen, %2 Entwürfe</translation>
    </message>
    <message>
        <source>%1 in the brush</source>
        <translation>%1 im Bereich</translation>
    </message>
    <message>
        <source>axis %1 of %2: %3 from %4 to %5</source>
        <translation>Achse %1 von %2: %3 von %4 bis %5</translation>
    </message>
    <message>
        <source>turned over</source>
        <translation>umgedreht</translation>
    </message>
    <message>
        <source>brushed %1</source>
        <translation>Bereich %1</translation>
    </message>
    <message>
        <source>Lines stand here once designs have run.</source>
        <translation>Hier stehen Linien, sobald Entwürfe gelaufen sind.</translation>
    </message>
</context>
<context>
    <name>PartsBar</name>
    <message>
        <source>Parts of the time</source>
        <translation>Teile der Zeit</translation>
    </message>
</context>
<context>
    <name>PartsPalette</name>
    <message>
        <source>Parts</source>
        <translation>Teile</translation>
    </message>
    <message>
        <source>drag, or key then click</source>
        <translation>ziehen, oder Taste und Klick</translation>
    </message>
    <message>
        <source>New empty design</source>
        <translation>Neuer leerer Entwurf</translation>
    </message>
    <message>
        <source>Gallery and outline</source>
        <translation>Galerie und Gliederung</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>Galerie</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Gliederung</translation>
    </message>
    <message>
        <source>The design as a tree (Ctrl+Shift+O)</source>
        <translation>Der Entwurf als Baum (Strg+Umschalt+O)</translation>
    </message>
    <message>
        <source>NPU</source>
        <translation>NPU</translation>
    </message>
    <message>
        <source>Put an NPU (N)</source>
        <translation>NPU setzen (N)</translation>
    </message>
    <message>
        <source>Switch</source>
        <translation>Switch</translation>
    </message>
    <message>
        <source>Put a switch (X)</source>
        <translation>Switch setzen (X)</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Put a memory (M)</source>
        <translation>Speicher setzen (M)</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>Link</translation>
    </message>
    <message>
        <source>Draw a link (K)</source>
        <translation>Link ziehen (K)</translation>
    </message>
    <message>
        <source>New links</source>
        <translation>Neue Links</translation>
    </message>
    <message>
        <source>%1 of new links</source>
        <translation>%1 neuer Links</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
</context>
<context>
    <name>PipelineChart</name>
    <message>
        <source>Pipeline over time</source>
        <translation>Pipeline über die Zeit</translation>
    </message>
    <message>
        <source>stage %1, micro-batch %2</source>
        <translation>Stufe %1, Mikrobatch %2</translation>
    </message>
    <message>
        <source>forward of %1</source>
        <translation>vorwärts %1</translation>
    </message>
    <message>
        <source>backward (inputs) of %1</source>
        <translation>rückwärts (Eingaben) %1</translation>
    </message>
    <message>
        <source>backward (weights) of %1</source>
        <translation>rückwärts (Gewichte) %1</translation>
    </message>
    <message>
        <source>backward of %1</source>
        <translation>rückwärts %1</translation>
    </message>
    <message>
        <source>forward of %1 beside backward of %2</source>
        <translation>vorwärts %1 neben rückwärts %2</translation>
    </message>
    <message>
        <source>, needs %1 less</source>
        <translation>, %1 zu viel</translation>
    </message>
    <message>
        <source>%1 waits %2 in all.</source>
        <translation>%1 wartet insgesamt %2.</translation>
    </message>
    <message>
        <source>%1: %2, %3 from %4</source>
        <translation>%1: %2, %3 ab %4</translation>
    </message>
    <message>
        <source>%1, %2 rows, %3 in all, ranks wait %4 of it</source>
        <translation>%1, %2 Zeilen, %3 insgesamt, davon warten Ränge %4</translation>
    </message>
    <message>
        <source>memory of this row: %1</source>
        <translation>Speicher dieser Zeile: %1</translation>
    </message>
    <message>
        <source>%1 · bubble %2</source>
        <translation>%1 · Bubble %2</translation>
    </message>
    <message>
        <source>Memory of a rank, of %1</source>
        <translation>Speicher eines Rangs, von %1</translation>
    </message>
    <message>
        <source>Memory of a rank</source>
        <translation>Speicher eines Rangs</translation>
    </message>
</context>
<context>
    <name>PlacedTexts</name>
    <message>
        <source>Stage</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>Wartet auf</translation>
    </message>
    <message>
        <source>Computes</source>
        <translation>Rechnet</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>Kollektive</translation>
    </message>
    <message>
        <source>Collectives [ps]</source>
        <translation>Kollektive [ps]</translation>
    </message>
    <message>
        <source>Computation</source>
        <translation>Berechnung</translation>
    </message>
    <message>
        <source>Computation [ps]</source>
        <translation>Berechnung [ps]</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Gradients [ps]</source>
        <translation>Gradienten [ps]</translation>
    </message>
    <message>
        <source>Instruction</source>
        <translation>Anweisung</translation>
    </message>
    <message>
        <source>Makes</source>
        <translation>Erzeugt</translation>
    </message>
    <message>
        <source>Estimated</source>
        <translation>Geschätzt</translation>
    </message>
    <message>
        <source>Estimated [ps]</source>
        <translation>Geschätzt [ps]</translation>
    </message>
    <message>
        <source>Rule or form</source>
        <translation>Regel oder Form</translation>
    </message>
    <message>
        <source>As</source>
        <translation>Als</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Tensor [B]</source>
        <translation>Tensor [B]</translation>
    </message>
    <message>
        <source>Owners</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>Simuliert</translation>
    </message>
    <message>
        <source>%1, simulated</source>
        <translation>%1, simuliert</translation>
    </message>
    <message>
        <source>%1, estimated</source>
        <translation>%1, geschätzt</translation>
    </message>
    <message>
        <source>States looked at</source>
        <translation>Geprüfte Zustände</translation>
    </message>
</context>
<context>
    <name>PlacementChart</name>
    <message>
        <source>Ratios by kind of device</source>
        <translation>Verhältnisse je Geräteart</translation>
    </message>
    <message>
        <source>Stages of the program</source>
        <translation>Stufen des Programms</translation>
    </message>
    <message>
        <source>The program against the baselines</source>
        <translation>Das Programm gegen die Vergleichswerte</translation>
    </message>
    <message>
        <source>; stage %1 waits for %2, computes %3</source>
        <translation>; Stufe %1 wartet auf %2, rechnet %3</translation>
    </message>
</context>
<context>
    <name>PlacementView</name>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>Ratios, baselines and stages</source>
        <translation>Verhältnisse, Vergleichswerte und Stufen</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Stufen</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>The program</source>
        <translation>Das Programm</translation>
    </message>
    <message>
        <source>Placement under way</source>
        <translation>Platzierung läuft</translation>
    </message>
    <message>
        <source>
Expected: %1</source>
        <translation>
Erwartet: %1</translation>
    </message>
    <message>
        <source>There is no program.</source>
        <translation>Es gibt kein Programm.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Stop the search for program and ratios</source>
        <translation>Suche nach Programm und Verhältnissen stoppen</translation>
    </message>
    <message>
        <source>Search for program and ratios</source>
        <translation>Programm und Verhältnisse suchen</translation>
    </message>
    <message>
        <source>Stopped; what is shown is of the design before</source>
        <translation>Gestoppt; gezeigt wird der Entwurf davor</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Timing collectives on the platform</source>
        <translation>Kollektive auf der Plattform werden gemessen</translation>
    </message>
    <message>
        <source>Search %1, %2 states before</source>
        <translation>Suche %1, zuvor %2 Zustände</translation>
    </message>
    <message>
        <source>Simulating what was found and the baselines</source>
        <translation>Gefundenes und Vergleichswerte werden simuliert</translation>
    </message>
</context>
<context>
    <name>Plan</name>
    <message>
        <source>interleaved</source>
        <translation>verschränkt</translation>
    </message>
</context>
<context>
    <name>PlanForm</name>
    <message>
        <source>Model and plan</source>
        <translation>Modell und Plan</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>By speed (HAP): what each NPU does is searched. There is no mesh to set.</source>
        <translation>Nach Tempo (HAP): gesucht wird, was jede NPU tut. Es gibt kein Mesh zu setzen.</translation>
    </message>
    <message>
        <source>The model or the plan of this design has an error. Their fields are here when it is mended.</source>
        <translation>Modell oder Plan dieses Entwurfs hat einen Fehler. Ist er behoben, stehen hier ihre Felder.</translation>
    </message>
    <message>
        <source>This design has no model and plan: its workload is a trace, a list of steps or one collective. A model takes the place of it, as one edit.</source>
        <translation>Dieser Entwurf hat kein Modell mit Plan: seine Last ist ein Trace, eine Liste von Schritten oder ein Kollektiv. Ein Modell tritt an ihre Stelle, als eine Änderung.</translation>
    </message>
    <message>
        <source>Model to use</source>
        <translation>Zu verwendendes Modell</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>Dieses Modell verwenden</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>A model that comes with the program</source>
        <translation>Ein mitgeliefertes Modell</translation>
    </message>
    <message>
        <source>Described in the design.</source>
        <translation>Im Entwurf beschrieben.</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>Globaler Batch</translation>
    </message>
    <message>
        <source>Sequences of one step, of all replicas together</source>
        <translation>Sequenzen eines Schritts, aller Replikate zusammen</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>Mikrobatch</translation>
    </message>
    <message>
        <source>Sequences that pass the pipeline at once, of one replica</source>
        <translation>Sequenzen eines Replikats, die zugleich durch die Pipeline gehen</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>What is computed again for the backward pass instead of kept</source>
        <translation>Was für den Rückwärtslauf neu berechnet statt behalten wird</translation>
    </message>
    <message>
        <source>Inference</source>
        <translation>Inferenz</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>Sequences of a replica at once</source>
        <translation>Sequenzen eines Replikats zugleich</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Tokens of each prompt; empty: as long as the model&apos;s sequences</source>
        <translation>Token jedes Prompts; leer: so lang wie die Sequenzen des Modells</translation>
    </message>
    <message>
        <source>of the model</source>
        <translation>des Modells</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>New tokens of each</source>
        <translation>Neue Token je Sequenz</translation>
    </message>
    <message>
        <source>Chunk</source>
        <translation>Chunk</translation>
    </message>
    <message>
        <source>Tokens of a prompt that go through at once; empty: all</source>
        <translation>Token eines Prompts, die zugleich durchlaufen; leer: alle</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Mesh axes</source>
        <translation>Mesh-Achsen</translation>
    </message>
    <message>
        <source>Ranks along this axis; all sizes multiplied are the NPUs</source>
        <translation>Ränge entlang dieser Achse; das Produkt aller Größen ist die Zahl der NPUs</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Pipeline</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>In which order a rank works on micro-batches</source>
        <translation>In welcher Reihenfolge ein Rang Mikrobatches bearbeitet</translation>
    </message>
    <message>
        <source>Chunks per stage</source>
        <translation>Chunks je Stufe</translation>
    </message>
    <message>
        <source>Interleaved: parts of the model on every rank</source>
        <translation>Verschränkt: Teile des Modells auf jedem Rang</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>ZeRO stage</source>
        <translation>ZeRO-Stufe</translation>
    </message>
    <message>
        <source>Split over the axis: 1 optimizer, 2 gradients too, 3 parameters too</source>
        <translation>Über die Achse geteilt: 1 Optimierer, 2 auch Gradienten, 3 auch Parameter</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Sequence parallel</source>
        <translation>Sequenzparallel</translation>
    </message>
    <message>
        <source>Norms and residuals are split over the sequence</source>
        <translation>Normen und Residuen werden über die Sequenz geteilt</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>How keys and values come to queries</source>
        <translation>Wie Keys und Values zu den Queries kommen</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>%1 ändern</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 verwenden</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Machine of kernels</source>
        <translation>Maschine der Kernel</translation>
    </message>
    <message>
        <source>Ops of the plan take their time as kernels of this machine, fitted to what was measured; off: from operations and bytes</source>
        <translation>Operationen des Plans dauern so lange wie Kernel dieser Maschine, angepasst an Messungen; aus: nach Operationen und Bytes</translation>
    </message>
    <message>
        <source>Fitted to %1</source>
        <translation>Angepasst an %1</translation>
    </message>
    <message>
        <source>Not used: %1.</source>
        <translation>Nicht verwendet: %1.</translation>
    </message>
</context>
<context>
    <name>PlanPage</name>
    <message>
        <source>Best plans…</source>
        <translation>Beste Pläne…</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Model and plan</source>
        <translation>Modell und Plan</translation>
    </message>
    <message>
        <source>Communications</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>What ranks send and hold</source>
        <translation>Was Ränge senden und halten</translation>
    </message>
    <message>
        <source>Pipeline and memory</source>
        <translation>Pipeline und Speicher</translation>
    </message>
    <message>
        <source>Step, estimated</source>
        <translation>Schritt, geschätzt</translation>
    </message>
    <message>
        <source>Search the fastest plans for this model on this platform</source>
        <translation>Die schnellsten Pläne für dieses Modell auf dieser Plattform suchen</translation>
    </message>
    <message>
        <source>What the plan comes to</source>
        <translation>Was der Plan ergibt</translation>
    </message>
    <message>
        <source>Simulated time</source>
        <translation>Simulierte Zeit</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Inference, simulated</source>
        <translation>Inferenz, simuliert</translation>
    </message>
    <message>
        <source>Step, simulated</source>
        <translation>Schritt, simuliert</translation>
    </message>
    <message>
        <source>The model or the plan of this design has an error.</source>
        <translation>Modell oder Plan dieses Entwurfs hat einen Fehler.</translation>
    </message>
    <message>
        <source>This design has no plan: its workload is a trace, a list of steps or one collective.
Take a model at the left.</source>
        <translation>Dieser Entwurf hat keinen Plan: seine Last ist ein Trace, eine Liste von Schritten oder ein Kollektiv.
Ein Modell lässt sich links wählen.</translation>
    </message>
    <message>
        <source>There is no plan.</source>
        <translation>Es gibt keinen Plan.</translation>
    </message>
    <message>
        <source>Inference, estimated</source>
        <translation>Inferenz, geschätzt</translation>
    </message>
    <message>
        <source>Ranks of this plan send each other nothing.</source>
        <translation>Ränge dieses Plans senden einander nichts.</translation>
    </message>
    <message>
        <source>Without a model nothing is known of the memory.</source>
        <translation>Ohne Modell ist über den Speicher nichts bekannt.</translation>
    </message>
    <message>
        <source>The stages are not known: the right says what is wrong.</source>
        <translation>Die Stufen sind nicht bekannt: rechts steht, was falsch ist.</translation>
    </message>
    <message>
        <source>
Expected: %1</source>
        <translation>
Erwartet: %1</translation>
    </message>
    <message>
        <source>Step, placed by speed</source>
        <translation>Schritt, nach Tempo platziert</translation>
    </message>
    <message>
        <source>There were too many states to look at all: the program need not be the best.</source>
        <translation>Es waren zu viele Zustände, um alle zu prüfen: das Programm ist vielleicht nicht das beste.</translation>
    </message>
    <message>
        <source>This plan generates text: the stages of inference are not drawn.</source>
        <translation>Dieser Plan erzeugt Text: die Stufen der Inferenz werden nicht gezeichnet.</translation>
    </message>
    <message>
        <source>How long the stages take is not known: the NPU has no peak rate, and the plan no times.</source>
        <translation>Wie lange die Stufen dauern, ist nicht bekannt: die NPU hat keine Spitzenleistung und der Plan keine Zeiten.</translation>
    </message>
    <message>
        <source>Too many operations to draw: more than %1.</source>
        <translation>Zu viele Operationen zum Zeichnen: mehr als %1.</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>Pipeline, %1</source>
        <translation>Pipeline, %1</translation>
    </message>
    <message>
        <source>%1 through %2: %3</source>
        <translation>%1 durch %2: %3</translation>
    </message>
    <message>
        <source>1 micro-batch</source>
        <translation>1 Mikrobatch</translation>
    </message>
    <message>
        <source>%1 micro-batches</source>
        <translation>%1 Mikrobatches</translation>
    </message>
    <message>
        <source>1 stage</source>
        <translation>1 Stufe</translation>
    </message>
    <message>
        <source>%1 stages</source>
        <translation>%1 Stufen</translation>
    </message>
</context>
<context>
    <name>PlanRowTexts</name>
    <message>
        <source>Tensor, exposed</source>
        <translation>Tensor, unverdeckt</translation>
    </message>
    <message>
        <source>Context, exposed</source>
        <translation>Kontext, unverdeckt</translation>
    </message>
    <message>
        <source>Experts, exposed</source>
        <translation>Experten, unverdeckt</translation>
    </message>
    <message>
        <source>Pipeline, exposed</source>
        <translation>Pipeline, unverdeckt</translation>
    </message>
    <message>
        <source>Data, exposed</source>
        <translation>Daten, unverdeckt</translation>
    </message>
    <message>
        <source>Transfer of the cache, exposed</source>
        <translation>Übertragung des Caches, unverdeckt</translation>
    </message>
    <message>
        <source>Bubble, exposed</source>
        <translation>Bubble, unverdeckt</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>Zeit je Ausgabetoken</translation>
    </message>
    <message>
        <source>Of it, simulated</source>
        <translation>Davon simuliert</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1 von %2 Schritten</translation>
    </message>
    <message>
        <source>Tokens/s per user</source>
        <translation>Token/s je Nutzer</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Token/s</translation>
    </message>
    <message>
        <source>Tokens/s per NPU</source>
        <translation>Token/s je NPU</translation>
    </message>
    <message>
        <source>MFU, of model FLOPs</source>
        <translation>MFU, der Modell-FLOPs</translation>
    </message>
    <message>
        <source>HFU, of all FLOPs</source>
        <translation>HFU, aller FLOPs</translation>
    </message>
    <message>
        <source>Bubble, mean</source>
        <translation>Bubble, Mittel</translation>
    </message>
    <message>
        <source>Fullest rank</source>
        <translation>Vollster Rang</translation>
    </message>
</context>
<context>
    <name>PlanScatter</name>
    <message>
        <source>Step against memory</source>
        <translation>Schritt gegen Speicher</translation>
    </message>
    <message>
        <source>No plan yet.</source>
        <translation>Noch kein Plan.</translation>
    </message>
    <message>
        <source>%1 plans</source>
        <translation>%1 Pläne</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>%1, on the front</source>
        <translation>%1, auf der Front</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Memory of the fullest rank</source>
        <translation>Speicher des vollsten Rangs</translation>
    </message>
    <message>
        <source>an NPU has %1</source>
        <translation>eine NPU hat %1</translation>
    </message>
    <message>
        <source>Plans stand here by step and memory once they are found.</source>
        <translation>Hier stehen Pläne nach Schritt und Speicher, sobald sie gefunden sind.</translation>
    </message>
</context>
<context>
    <name>PlanSearchFields</name>
    <message>
        <source>tried</source>
        <translation>probieren</translation>
    </message>
    <message>
        <source>as in the plan</source>
        <translation>wie im Plan</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Pipeline</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>Mikrobatch</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>NPUs</source>
        <translation>NPUs</translation>
    </message>
    <message>
        <source>Mesh order</source>
        <translation>Mesh-Reihenfolge</translation>
    </message>
    <message>
        <source>Ranks that share the matrices of a layer</source>
        <translation>Ränge, die sich die Matrizen einer Schicht teilen</translation>
    </message>
    <message>
        <source>Ranks that share the layers</source>
        <translation>Ränge, die sich die Schichten teilen</translation>
    </message>
    <message>
        <source>Ranks that share the batch</source>
        <translation>Ränge, die sich den Batch teilen</translation>
    </message>
    <message>
        <source>Of the ranks that share the batch, those that share the experts</source>
        <translation>Von den Rängen, die sich den Batch teilen, die, die sich die Experten teilen</translation>
    </message>
    <message>
        <source>Ranks that share a sequence</source>
        <translation>Ränge, die sich eine Sequenz teilen</translation>
    </message>
    <message>
        <source>Sequences that go through at once</source>
        <translation>Sequenzen, die zugleich durchlaufen</translation>
    </message>
    <message>
        <source>What of the forward pass is computed again instead of kept</source>
        <translation>Was vom Vorwärtslauf neu berechnet statt behalten wird</translation>
    </message>
    <message>
        <source>What ranks of the same data share: 1 optimizer, 2 gradients, 3 parameters, too</source>
        <translation>Was Ränge mit gleichen Daten sich teilen: 1 Optimierer, 2 auch Gradienten, 3 auch Parameter</translation>
    </message>
    <message>
        <source>Order of the micro-batches in the pipeline</source>
        <translation>Reihenfolge der Mikrobatches in der Pipeline</translation>
    </message>
    <message>
        <source>NPUs the plan has, the first ones of the machine; as in the plan: all</source>
        <translation>NPUs des Plans, die ersten der Maschine; wie im Plan: alle</translation>
    </message>
    <message>
        <source>Axes of the mesh, the slowest first, such as pp, dp, tp</source>
        <translation>Achsen des Meshs, die langsamste zuerst, etwa pp, dp, tp</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>Schrittzeit</translation>
    </message>
    <message>
        <source>Tokens/s per NPU</source>
        <translation>Token/s je NPU</translation>
    </message>
    <message>
        <source>Number of NPUs</source>
        <translation>Zahl der NPUs</translation>
    </message>
    <message>
        <source>Cost per token</source>
        <translation>Kosten je Token</translation>
    </message>
    <message>
        <source>Energy per token</source>
        <translation>Energie je Token</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Simulate them</source>
        <translation>Simulieren</translation>
    </message>
    <message>
        <source>What is searched</source>
        <translation>Was gesucht wird</translation>
    </message>
    <message>
        <source>Plans to list</source>
        <translation>Pläne in der Liste</translation>
    </message>
    <message>
        <source>The best so many are listed</source>
        <translation>So viele der besten stehen in der Liste</translation>
    </message>
    <message>
        <source>List the best</source>
        <translation>Die besten</translation>
    </message>
    <message>
        <source>Each plan that is listed is simulated; else the estimate alone ranks</source>
        <translation>Jeder Plan der Liste wird simuliert; sonst ordnet allein die Schätzung</translation>
    </message>
    <message>
        <source>%1: tried, as in the plan, or a value that is typed</source>
        <translation>%1: probieren, wie im Plan oder ein eingetippter Wert</translation>
    </message>
    <message>
        <source>Best by</source>
        <translation>Bester nach</translation>
    </message>
    <message>
        <source>What ranks the plans</source>
        <translation>Wonach die Pläne geordnet werden</translation>
    </message>
    <message>
        <source>Also wanted: %1</source>
        <translation>Auch erwünscht: %1</translation>
    </message>
    <message>
        <source>Plans that are good in this are kept, too</source>
        <translation>Pläne, die hierin gut sind, bleiben auch</translation>
    </message>
    <message>
        <source>Also wanted</source>
        <translation>Auch erwünscht</translation>
    </message>
    <message>
        <source>%1: “%2” is no value. Expected: tried, as in the plan, or %3.</source>
        <translation>%1: „%2“ ist kein Wert. Erwartet: probieren, wie im Plan oder %3.</translation>
    </message>
    <message>
        <source>axes such as pp, dp, tp</source>
        <translation>Achsen wie pp, dp, tp</translation>
    </message>
    <message>
        <source>a whole number from 1</source>
        <translation>eine ganze Zahl ab 1</translation>
    </message>
    <message>
        <source>Nothing is tried: choose “tried” for something.</source>
        <translation>Nichts wird probiert: für etwas „probieren“ wählen.</translation>
    </message>
</context>
<context>
    <name>PlanSearchPanel</name>
    <message>
        <source>Best plans</source>
        <translation>Beste Pläne</translation>
    </message>
    <message>
        <source>Keep in the design</source>
        <translation>Im Entwurf behalten</translation>
    </message>
    <message>
        <source>&amp;Use this plan</source>
        <translation>Diesen Plan &amp;verwenden</translation>
    </message>
    <message>
        <source>Open as desi&amp;gn</source>
        <translation>Als Ent&amp;wurf öffnen</translation>
    </message>
    <message>
        <source>P&amp;in for Compare</source>
        <translation>Zum Vergleich anhef&amp;ten</translation>
    </message>
    <message>
        <source>Back to the plan</source>
        <translation>Zurück zum Plan</translation>
    </message>
    <message>
        <source>A search goes on (Esc)</source>
        <translation>Eine Suche läuft weiter (Esc)</translation>
    </message>
    <message>
        <source>Write these fields into the design, as its section “search”</source>
        <translation>Diese Felder in den Entwurf schreiben, als Abschnitt „search“</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>What is searched</source>
        <translation>Was gesucht wird</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>Parts of the step</source>
        <translation>Teile des Schritts</translation>
    </message>
    <message>
        <source>Known once plans are found.</source>
        <translation>Bekannt, sobald Pläne gefunden sind.</translation>
    </message>
    <message>
        <source>This design has no model with a plan. Take a model in the plan, or open an example.</source>
        <translation>Dieser Entwurf hat kein Modell mit Plan. Im Plan ein Modell nehmen oder ein Beispiel öffnen.</translation>
    </message>
    <message>
        <source>The design has an error. Mend it first.</source>
        <translation>Der Entwurf hat einen Fehler. Er ist zuerst zu beheben.</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stoppen</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>&amp;Suchen</translation>
    </message>
    <message>
        <source>Stop; what is ranked stays</source>
        <translation>Stoppen; was geordnet ist, bleibt</translation>
    </message>
    <message>
        <source>Search all plans in the background</source>
        <translation>Alle Pläne im Hintergrund durchsuchen</translation>
    </message>
    <message>
        <source>Nothing is ranked yet.</source>
        <translation>Noch nichts geordnet.</translation>
    </message>
    <message>
        <source>Nothing has been searched yet. Press Search.</source>
        <translation>Noch nichts gesucht. Suchen drücken.</translation>
    </message>
    <message>
        <source>There is no plan to start from.</source>
        <translation>Es gibt keinen Plan als Ausgangspunkt.</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Wird gestoppt</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>Sucht</translation>
    </message>
    <message>
        <source>Simulating, %1 of %2 plans</source>
        <translation>Simuliert, %1 von %2 Plänen</translation>
    </message>
    <message>
        <source>Ranking, %1 of %2 mixes of degrees</source>
        <translation>Ordnet, %1 von %2 Mischungen von Graden</translation>
    </message>
    <message>
        <source>%1; best estimate so far %2</source>
        <translation>%1; beste Schätzung bisher %2</translation>
    </message>
    <message>
        <source>Stopped before the plans were ranked.</source>
        <translation>Gestoppt, bevor die Pläne geordnet waren.</translation>
    </message>
    <message>
        <source>; stopped before the plans were simulated</source>
        <translation>; gestoppt, bevor die Pläne simuliert waren</translation>
    </message>
    <message>
        <source>. The design has changed since: search again.</source>
        <translation>. Der Entwurf hat sich seither geändert: neu suchen.</translation>
    </message>
    <message>
        <source>%1 cannot be because of %2</source>
        <translation>%1 unmöglich wegen %2</translation>
    </message>
    <message>
        <source>Accuracy of the fabric: %1</source>
        <translation>Genauigkeit des Netzes: %1</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Why: %1 against %2 and your own</source>
        <translation>Warum: %1 gegen %2 und den eigenen</translation>
    </message>
    <message>
        <source>Why: %1 against %2</source>
        <translation>Warum: %1 gegen %2</translation>
    </message>
    <message>
        <source>Why: %1 against your own</source>
        <translation>Warum: %1 gegen den eigenen</translation>
    </message>
    <message>
        <source>Why: %1</source>
        <translation>Warum: %1</translation>
    </message>
    <message>
        <source>Use plan %1 of the search</source>
        <translation>Plan %1 der Suche verwenden</translation>
    </message>
    <message>
        <source>%1 is in the design: %2</source>
        <translation>%1 ist im Entwurf: %2</translation>
    </message>
    <message>
        <source>Keep the search</source>
        <translation>Suche behalten</translation>
    </message>
    <message>
        <source>The search is in the design, as its section “search”</source>
        <translation>Die Suche steht im Entwurf, als Abschnitt „search“</translation>
    </message>
</context>
<context>
    <name>PlanSearchTexts</name>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>Simuliert</translation>
    </message>
    <message>
        <source>Simulated [ps]</source>
        <translation>Simuliert [ps]</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory of the fullest rank [B]</source>
        <translation>Speicher des vollsten Rangs [B]</translation>
    </message>
    <message>
        <source>Estimated</source>
        <translation>Geschätzt</translation>
    </message>
    <message>
        <source>Estimated [ps]</source>
        <translation>Geschätzt [ps]</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Token/s</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>Token je Sekunde</translation>
    </message>
    <message>
        <source>per NPU</source>
        <translation>je NPU</translation>
    </message>
    <message>
        <source>Tokens per second and NPU</source>
        <translation>Token je Sekunde und NPU</translation>
    </message>
    <message>
        <source>NPUs</source>
        <translation>NPUs</translation>
    </message>
    <message>
        <source>NPUs of the plan</source>
        <translation>NPUs des Plans</translation>
    </message>
    <message>
        <source>US$/M tokens</source>
        <translation>US$/M Token</translation>
    </message>
    <message>
        <source>US$ per million tokens</source>
        <translation>US$ je Million Token</translation>
    </message>
    <message>
        <source>J/token</source>
        <translation>J/Token</translation>
    </message>
    <message>
        <source>Energy per token [J]</source>
        <translation>Energie je Token [J]</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Front</translation>
    </message>
    <message>
        <source>On the front of step and memory</source>
        <translation>Auf der Front von Schritt und Speicher</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>own</source>
        <translation>eigener</translation>
    </message>
    <message>
        <source>front</source>
        <translation>Front</translation>
    </message>
    <message>
        <source>not simulated: %1</source>
        <translation>nicht simuliert: %1</translation>
    </message>
    <message>
        <source>%1 tokens/s per NPU</source>
        <translation>%1 Token/s je NPU</translation>
    </message>
    <message>
        <source>one NPU</source>
        <translation>eine NPU</translation>
    </message>
    <message>
        <source>%1 NPUs</source>
        <translation>%1 NPUs</translation>
    </message>
    <message>
        <source>US$ %1 per million tokens</source>
        <translation>US$ %1 je Million Token</translation>
    </message>
    <message>
        <source>%1 J per token</source>
        <translation>%1 J je Token</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Communication of layers</source>
        <translation>Kommunikation der Schichten</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>Bubble</translation>
    </message>
    <message>
        <source>Gradients and parameters</source>
        <translation>Gradienten und Parameter</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>No plan can be. Below stands why.</source>
        <translation>Kein Plan ist möglich. Darunter steht, warum.</translation>
    </message>
    <message>
        <source>No plan fits the memory of an NPU.</source>
        <translation>Kein Plan passt in den Speicher einer NPU.</translation>
    </message>
    <message>
        <source>No plan fits the memory of an NPU; %1 cannot be for other reasons.</source>
        <translation>Kein Plan passt in den Speicher einer NPU; %1 sind aus anderen Gründen unmöglich.</translation>
    </message>
    <message>
        <source>one rank</source>
        <translation>ein Rang</translation>
    </message>
    <message>
        <source>experts %1</source>
        <translation>Experten %1</translation>
    </message>
    <message>
        <source>micro-batch %1</source>
        <translation>Mikrobatch %1</translation>
    </message>
    <message>
        <source>%1 recomputation</source>
        <translation>Neuberechnung %1</translation>
    </message>
    <message>
        <source>Own plan</source>
        <translation>Eigener Plan</translation>
    </message>
    <message>
        <source>Plan %1</source>
        <translation>Plan %1</translation>
    </message>
    <message>
        <source>Best %1, simulated</source>
        <translation>Bester %1, simuliert</translation>
    </message>
    <message>
        <source>Best %1, estimated</source>
        <translation>Bester %1, geschätzt</translation>
    </message>
    <message>
        <source>; your plan is as fast</source>
        <translation>; der eigene Plan ist ebenso schnell</translation>
    </message>
    <message>
        <source>; so is your plan</source>
        <translation>; der eigene Plan ebenso</translation>
    </message>
    <message>
        <source>; %1 shorter than your plan</source>
        <translation>; %1 kürzer als der eigene Plan</translation>
    </message>
    <message>
        <source>; %1 longer than your plan</source>
        <translation>; %1 länger als der eigene Plan</translation>
    </message>
    <message>
        <source>; %1 less than your plan</source>
        <translation>; %1 weniger als der eigene Plan</translation>
    </message>
    <message>
        <source>; %1 more than your plan</source>
        <translation>; %1 mehr als der eigene Plan</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Part of the step</source>
        <translation>Teil des Schritts</translation>
    </message>
    <message>
        <source>%1 [ps]</source>
        <translation>%1 [ps]</translation>
    </message>
    <message>
        <source>%1 ±</source>
        <translation>%1 ±</translation>
    </message>
    <message>
        <source>%1, more [ps]</source>
        <translation>%1, mehr [ps]</translation>
    </message>
    <message>
        <source>Sum, estimated</source>
        <translation>Summe, geschätzt</translation>
    </message>
</context>
<context>
    <name>PlanTexts</name>
    <message>
        <source>all-reduce</source>
        <translation>all-reduce</translation>
    </message>
    <message>
        <source>all-gather</source>
        <translation>all-gather</translation>
    </message>
    <message>
        <source>reduce-scatter</source>
        <translation>reduce-scatter</translation>
    </message>
    <message>
        <source>all-to-all</source>
        <translation>all-to-all</translation>
    </message>
    <message>
        <source>send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Count per rank and step</source>
        <translation>Anzahl je Rang und Schritt</translation>
    </message>
    <message>
        <source>Each</source>
        <translation>Jede</translation>
    </message>
    <message>
        <source>Each [B]</source>
        <translation>Jede [B]</translation>
    </message>
    <message>
        <source>Sent by a rank</source>
        <translation>Je Rang gesendet</translation>
    </message>
    <message>
        <source>Sent by a rank [B]</source>
        <translation>Je Rang gesendet [B]</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>Where it comes from</source>
        <translation>Woher es kommt</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>Peak [B]</source>
        <translation>Spitze [B]</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Parameters [B]</source>
        <translation>Parameter [B]</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Gradients [B]</source>
        <translation>Gradienten [B]</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Optimizer [B]</source>
        <translation>Optimierer [B]</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Activations [B]</source>
        <translation>Aktivierungen [B]</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>Buffers [B]</source>
        <translation>Puffer [B]</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Pipeline</translation>
    </message>
    <message>
        <source>of it, ranks wait</source>
        <translation>davon warten Ränge</translation>
    </message>
    <message>
        <source>Gradients, exposed</source>
        <translation>Gradienten, unverdeckt</translation>
    </message>
    <message>
        <source>Step, estimated</source>
        <translation>Schritt, geschätzt</translation>
    </message>
    <message>
        <source>First token, estimated</source>
        <translation>Erstes Token, geschätzt</translation>
    </message>
    <message>
        <source>Per token, estimated</source>
        <translation>Je Token, geschätzt</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>Token je Sekunde</translation>
    </message>
    <message>
        <source>Model FLOPs</source>
        <translation>Modell-FLOPs</translation>
    </message>
    <message>
        <source>Executed FLOPs</source>
        <translation>Ausgeführte FLOPs</translation>
    </message>
</context>
<context>
    <name>PlatformCanvas</name>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>Drawing of the platform</source>
        <translation>Zeichnung der Plattform</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>No platform yet.</source>
        <translation>Noch keine Plattform.</translation>
    </message>
</context>
<context>
    <name>PortsHandle</name>
    <message>
        <source>%1 down, %2 up, %3 : %4</source>
        <translation>%1 nach unten, %2 nach oben, %3 : %4</translation>
    </message>
</context>
<context>
    <name>ProgramDiagram</name>
    <message>
        <source>Drawing of the program</source>
        <translation>Zeichnung des Programms</translation>
    </message>
    <message>
        <source>Before the first of %1 steps</source>
        <translation>Vor dem ersten von %1 Schritten</translation>
    </message>
    <message>
        <source>Step %1 of %2, %3 transfers</source>
        <translation>Schritt %1 von %2, %3 Transfers</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>This program does nothing.</source>
        <translation>Dieses Programm tut nichts.</translation>
    </message>
    <message>
        <source>Nothing to draw yet.</source>
        <translation>Noch nichts zu zeichnen.</translation>
    </message>
    <message>
        <source>Rank %1: sum formed in the switch</source>
        <translation>Rang %1: Summe entsteht im Switch</translation>
    </message>
    <message>
        <source>Rank %1: copied by the switch</source>
        <translation>Rang %1: vom Switch kopiert</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>, %1 chunks from %2</source>
        <translation>, %1 Chunks ab %2</translation>
    </message>
    <message>
        <source>, chunk %1</source>
        <translation>, Chunk %1</translation>
    </message>
    <message>
        <source>, %1 contributions</source>
        <translation>, %1 Beiträge</translation>
    </message>
    <message>
        <source>, reduced</source>
        <translation>, reduziert</translation>
    </message>
    <message>
        <source>, line %1</source>
        <translation>, Zeile %1</translation>
    </message>
</context>
<context>
    <name>ProgramFiles</name>
    <message>
        <source>Programs (*.lua *.xml *.json);;All files (*)</source>
        <translation>Programme (*.lua *.xml *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>%1 MiB are more than is edited here; fabricscope-cli reads it</source>
        <translation>%1 MiB sind mehr, als hier bearbeitet wird; fabricscope-cli liest es</translation>
    </message>
    <message>
        <source>this is no text</source>
        <translation>das ist kein Text</translation>
    </message>
    <message>
        <source>Save the program as</source>
        <translation>Programm speichern unter</translation>
    </message>
</context>
<context>
    <name>ProgramIssuesModel</name>
    <message>
        <source>line %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>Befund</translation>
    </message>
</context>
<context>
    <name>ProgramIssuesView</name>
    <message>
        <source>Findings about the program</source>
        <translation>Befunde zum Programm</translation>
    </message>
    <message>
        <source>No findings</source>
        <translation>Keine Befunde</translation>
    </message>
</context>
<context>
    <name>ProgramMatrix</name>
    <message>
        <source>input</source>
        <translation>input</translation>
    </message>
    <message>
        <source>output</source>
        <translation>output</translation>
    </message>
    <message>
        <source>scratch</source>
        <translation>scratch</translation>
    </message>
    <message>
        <source>Who holds which chunk</source>
        <translation>Wer welchen Chunk hält</translation>
    </message>
    <message>
        <source>Ranks %1–%2, chunks %3–%4: %5 there</source>
        <translation>Ränge %1–%2, Chunks %3–%4: %5 da</translation>
    </message>
    <message>
        <source>Rank %1, chunk %2</source>
        <translation>Rang %1, Chunk %2</translation>
    </message>
    <message>
        <source>%1: no such chunk</source>
        <translation>%1: kein solcher Chunk</translation>
    </message>
    <message>
        <source>%1: complete</source>
        <translation>%1: vollständig</translation>
    </message>
    <message>
        <source>%1: undefined</source>
        <translation>%1: undefiniert</translation>
    </message>
    <message>
        <source>%1: holds a chunk</source>
        <translation>%1: hält einen Chunk</translation>
    </message>
    <message>
        <source>%1: %2 of %3 contributions</source>
        <translation>%1: %2 von %3 Beiträgen</translation>
    </message>
    <message>
        <source>This program has too many places to show them all.</source>
        <translation>Dieses Programm hat zu viele Plätze, um alle zu zeigen.</translation>
    </message>
    <message>
        <source>This program says nothing about places.</source>
        <translation>Dieses Programm sagt nichts über Plätze.</translation>
    </message>
    <message>
        <source>input = output</source>
        <translation>input = output</translation>
    </message>
</context>
<context>
    <name>ProgramTransport</name>
    <message>
        <source>Steps of the program</source>
        <translation>Schritte des Programms</translation>
    </message>
    <message>
        <source>Before the first step</source>
        <translation>Vor den ersten Schritt</translation>
    </message>
    <message>
        <source>Alt+Home</source>
        <translation>Alt+Pos1</translation>
    </message>
    <message>
        <source>One step back</source>
        <translation>Ein Schritt zurück</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>One step forward</source>
        <translation>Ein Schritt vor</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>After the last step</source>
        <translation>Nach den letzten Schritt</translation>
    </message>
    <message>
        <source>Alt+End</source>
        <translation>Alt+Ende</translation>
    </message>
    <message>
        <source>Step of the program</source>
        <translation>Schritt des Programms</translation>
    </message>
    <message>
        <source>No steps</source>
        <translation>Keine Schritte</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>1 transfer</source>
        <translation>1 Transfer</translation>
    </message>
    <message>
        <source>%1 transfers</source>
        <translation>%1 Transfers</translation>
    </message>
</context>
<context>
    <name>ProgramWorkspace</name>
    <message>
        <source>Programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <source>Text beside the drawing</source>
        <translation>Text neben der Zeichnung</translation>
    </message>
    <message>
        <source>Text over its findings</source>
        <translation>Text über seinen Befunden</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Drawing over who holds what</source>
        <translation>Zeichnung über „Wer hält was“</translation>
    </message>
    <message>
        <source>Drawing</source>
        <translation>Zeichnung</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel the check</source>
        <translation>Prüfung abbrechen</translation>
    </message>
    <message>
        <source>Give up checking this text</source>
        <translation>Diesen Text nicht weiter prüfen</translation>
    </message>
    <message>
        <source>Who holds what</source>
        <translation>Wer hält was</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>Angaben</translation>
    </message>
    <message>
        <source>Facts about the program</source>
        <translation>Angaben zum Programm</translation>
    </message>
    <message>
        <source>Valid</source>
        <translation>Gültig</translation>
    </message>
    <message>
        <source>Checking, %1</source>
        <translation>Prüft, %1</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Prüft</translation>
    </message>
    <message>
        <source>Not checked</source>
        <translation>Nicht geprüft</translation>
    </message>
    <message>
        <source>1 error</source>
        <translation>1 Fehler</translation>
    </message>
    <message>
        <source>%1 errors</source>
        <translation>%1 Fehler</translation>
    </message>
    <message>
        <source>Valid, warnings</source>
        <translation>Gültig, Warnungen</translation>
    </message>
    <message>
        <source>The text cannot be read. The drawing is that of the last one that could.</source>
        <translation>Der Text ist nicht lesbar. Die Zeichnung zeigt den letzten lesbaren.</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1 über %2</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>Chunks</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Transfers</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Lanes per rank</source>
        <translation>Spuren je Rang</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Postcondition</source>
        <translation>Nachbedingung</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>gilt</translation>
    </message>
    <message>
        <source>fails</source>
        <translation>verletzt</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Wasted transfers</source>
        <translation>Unnütze Transfers</translation>
    </message>
    <message>
        <source>In place</source>
        <translation>In-place</translation>
    </message>
    <message>
        <source>works</source>
        <translation>geht</translation>
    </message>
    <message>
        <source>does not work</source>
        <translation>geht nicht</translation>
    </message>
    <message>
        <source>Out of place</source>
        <translation>Out-of-place</translation>
    </message>
    <message>
        <source>Slots needed</source>
        <translation>Nötige Slots</translation>
    </message>
    <message>
        <source>Never done</source>
        <translation>Nie ausgeführt</translation>
    </message>
    <message>
        <source>%1 operations</source>
        <translation>%1 Operationen</translation>
    </message>
    <message>
        <source>rank × chunk, after the step</source>
        <translation>Rang × Chunk, nach dem Schritt</translation>
    </message>
    <message>
        <source>edited</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>schreibgeschützt</translation>
    </message>
    <message>
        <source>also open in another window</source>
        <translation>auch in einem anderen Fenster offen</translation>
    </message>
    <message>
        <source>also open in %1 other windows</source>
        <translation>auch in %1 anderen Fenstern offen</translation>
    </message>
</context>
<context>
    <name>Quantity</name>
    <message>
        <source>Write %1.%2 with a point</source>
        <translation>%1.%2 mit Punkt schreiben</translation>
    </message>
</context>
<context>
    <name>QuantityField</name>
    <message>
        <source>mixed</source>
        <translation>gemischt</translation>
    </message>
    <message>
        <source>not given</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>This cannot be the result. %1</source>
        <translation>Das kann nicht herauskommen. %1</translation>
    </message>
    <message>
        <source>There is no value to change. %1</source>
        <translation>Es gibt keinen Wert zu ändern. %1</translation>
    </message>
    <message>
        <source>Enter a whole number from %1 on</source>
        <translation>Ganze Zahl ab %1 eingeben</translation>
    </message>
    <message>
        <source>This cannot be 0. %1</source>
        <translation>Das kann nicht 0 sein. %1</translation>
    </message>
</context>
<context>
    <name>QuestionEdit</name>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>What should this design answer?</source>
        <translation>Was soll dieser Entwurf beantworten?</translation>
    </message>
</context>
<context>
    <name>RecentFiles</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 is no longer there</source>
        <translation>%1 ist nicht mehr da</translation>
    </message>
    <message>
        <source>No files yet</source>
        <translation>Noch keine Dateien</translation>
    </message>
    <message>
        <source>Clear list</source>
        <translation>Liste leeren</translation>
    </message>
</context>
<context>
    <name>ReconcileView</name>
    <message>
        <source>Why the models differ</source>
        <translation>Warum die Modelle sich unterscheiden</translation>
    </message>
    <message>
        <source>No second model has been run yet</source>
        <translation>Noch kein zweites Modell gelaufen</translation>
    </message>
    <message>
        <source>Current rule: %1, %2</source>
        <translation>Aktuelle Regel: %1, %2</translation>
    </message>
    <message>
        <source>%1 takes %2</source>
        <translation>%1 braucht %2</translation>
    </message>
    <message>
        <source>Sum, exactly %1</source>
        <translation>Summe, genau %1</translation>
    </message>
    <message>
        <source>not apart</source>
        <translation>nicht getrennt</translation>
    </message>
    <message>
        <source>Difference %1</source>
        <translation>Unterschied %1</translation>
    </message>
    <message>
        <source>Run the design under a second model to see what each rule is worth.</source>
        <translation>Den Entwurf unter einem zweiten Modell starten, um zu sehen, was jede Regel ausmacht.</translation>
    </message>
    <message>
        <source>%1
%2
from %3 to %4</source>
        <translation>%1
%2
von %3 bis %4</translation>
    </message>
</context>
<context>
    <name>ReportPreview</name>
    <message>
        <source>Pages of the report</source>
        <translation>Seiten des Berichts</translation>
    </message>
    <message>
        <source>1 page</source>
        <translation>1 Seite</translation>
    </message>
    <message>
        <source>%1 pages</source>
        <translation>%1 Seiten</translation>
    </message>
</context>
<context>
    <name>ReportWorkspace</name>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Nothing has run yet. Run a design to see its report.</source>
        <translation>Noch nichts gelaufen. Einen Entwurf starten, um seinen Bericht zu sehen.</translation>
    </message>
    <message>
        <source>Export HTML…</source>
        <translation>HTML exportieren…</translation>
    </message>
    <message>
        <source>Export PDF…</source>
        <translation>PDF exportieren…</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Sections of the report</source>
        <translation>Abschnitte des Berichts</translation>
    </message>
    <message>
        <source>Larger</source>
        <translation>Größer</translation>
    </message>
    <message>
        <source>Smaller</source>
        <translation>Kleiner</translation>
    </message>
    <message>
        <source>Fit width</source>
        <translation>Breite einpassen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Question of the report</source>
        <translation>Frage des Berichts</translation>
    </message>
    <message>
        <source>The question the report answers; empty: the notes of the design</source>
        <translation>Die Frage, die der Bericht beantwortet; leer: die Notizen des Entwurfs</translation>
    </message>
    <message>
        <source>Paper</source>
        <translation>Papier</translation>
    </message>
    <message>
        <source>A4</source>
        <translation>A4</translation>
    </message>
    <message>
        <source>Letter</source>
        <translation>Letter</translation>
    </message>
    <message>
        <source>Web pages (*.html)</source>
        <translation>Webseiten (*.html)</translation>
    </message>
    <message>
        <source>PDF documents (*.pdf)</source>
        <translation>PDF-Dokumente (*.pdf)</translation>
    </message>
    <message>
        <source>What does this run answer?</source>
        <translation>Was beantwortet dieser Lauf?</translation>
    </message>
    <message>
        <source>Always part of the report</source>
        <translation>Immer Teil des Berichts</translation>
    </message>
    <message>
        <source>Needs this result and at least one other in Compare (Ctrl+4): pin it and change something, or add designs.</source>
        <translation>Braucht dieses Ergebnis und mindestens ein weiteres in Vergleichen (Strg+4): anheften und etwas ändern, oder Entwürfe hinzufügen.</translation>
    </message>
    <message>
        <source>1 page</source>
        <translation>1 Seite</translation>
    </message>
    <message>
        <source>%1 pages</source>
        <translation>%1 Seiten</translation>
    </message>
    <message>
        <source>%1, collecting steps…</source>
        <translation>%1, Schritte werden gesammelt…</translation>
    </message>
    <message>
        <source>%1&#x202f;%</source>
        <translation>%1&#x202f;%</translation>
    </message>
    <message>
        <source>report</source>
        <translation>bericht</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Bericht exportieren</translation>
    </message>
</context>
<context>
    <name>ResultSection</name>
    <message>
        <source>No change</source>
        <translation>Keine Änderung</translation>
    </message>
    <message>
        <source>Of the plan</source>
        <translation>Vom Plan</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch nichts gelaufen.</translation>
    </message>
    <message>
        <source>since the run before</source>
        <translation>gegenüber dem vorigen Lauf</translation>
    </message>
    <message>
        <source>Lower bound, %1 reached</source>
        <translation>Untere Schranke, zu %1 erreicht</translation>
    </message>
</context>
<context>
    <name>ResultTable</name>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>Als CSV…</translation>
    </message>
    <message>
        <source>Export CSV</source>
        <translation>CSV exportieren</translation>
    </message>
    <message>
        <source>Sorting %1 rows</source>
        <translation>%1 Zeilen werden sortiert</translation>
    </message>
    <message>
        <source>%1 of %2 rows</source>
        <translation>%1 von %2 Zeilen</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
</context>
<context>
    <name>RewriteChart</name>
    <message>
        <source>%1, %2: from %3 to %4, %5</source>
        <translation>%1, %2: von %3 bis %4, %5</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Communication beside which nothing is computed: %1 before, %2 after</source>
        <translation>Kommunikation, neben der nichts gerechnet wird: %1 vorher, %2 nachher</translation>
    </message>
    <message>
        <source>Before and after over time</source>
        <translation>Vorher und nachher über die Zeit</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Exposed</source>
        <translation>Unverdeckt</translation>
    </message>
</context>
<context>
    <name>RewriteDocument</name>
    <message>
        <source> (expected %1)</source>
        <translation> (erwartet %1)</translation>
    </message>
</context>
<context>
    <name>RewriteFiles</name>
    <message>
        <source>Save the program with its schedule as</source>
        <translation>Programm mit seinem Ablaufplan speichern unter</translation>
    </message>
    <message>
        <source>Programs (*.yaml *.yml)</source>
        <translation>Programme (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>%1 was not opened: the recovered steps are on show. Save them, then open it.</source>
        <translation>%1 wurde nicht geöffnet: die wiederhergestellten Schritte sind zu sehen. Erst speichern, dann öffnen.</translation>
    </message>
</context>
<context>
    <name>RewriteLaneTexts</name>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>Kollektive</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>RewritePage</name>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Stufen</translation>
    </message>
    <message>
        <source>Applied, in order</source>
        <translation>Angewandt, der Reihe nach</translation>
    </message>
    <message>
        <source>Applied steps</source>
        <translation>Angewandte Schritte</translation>
    </message>
    <message>
        <source>Save in file</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Export schedule…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>Before and after</source>
        <translation>Vorher und nachher</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Next steps</source>
        <translation>Nächste Schritte</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>Umformen</translation>
    </message>
    <message>
        <source>What of the program</source>
        <translation>Was vom Programm</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Text of the file with the schedule</source>
        <translation>Text der Datei mit dem Ablaufplan</translation>
    </message>
    <message>
        <source>Gain, step by step</source>
        <translation>Gewinn, Schritt für Schritt</translation>
    </message>
    <message>
        <source>each bar begins where the one before ends</source>
        <translation>jeder Balken beginnt, wo der vorige endet</translation>
    </message>
    <message>
        <source>Schedules tried</source>
        <translation>Geprüfte Ablaufpläne</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>There are no tensors.</source>
        <translation>Es gibt keine Tensoren.</translation>
    </message>
    <message>
        <source>What the schedule brings</source>
        <translation>Was der Ablaufplan bringt</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>Gewinn</translation>
    </message>
    <message>
        <source>A step in words: fuse {a, b}</source>
        <translation>Ein Schritt in Worten: fuse {a, b}</translation>
    </message>
    <message>
        <source>A step in words</source>
        <translation>Ein Schritt in Worten</translation>
    </message>
    <message>
        <source>The schedule of a script is in its own words. Export the schedule instead.</source>
        <translation>Der Ablaufplan eines Skripts steht in dessen eigenen Worten. Stattdessen den Ablaufplan exportieren.</translation>
    </message>
    <message>
        <source>%1 is refused: %2</source>
        <translation>%1 abgelehnt: %2</translation>
    </message>
    <message>
        <source>The program as written. Take a step at the right (Return), or search (T).</source>
        <translation>Das Programm wie geschrieben. Rechts einen Schritt nehmen (Eingabe) oder suchen (T).</translation>
    </message>
    <message>
        <source>Sum, exact   %1</source>
        <translation>Summe, genau   %1</translation>
    </message>
    <message>
        <source>Tensors, %1 saved</source>
        <translation>Tensoren, %1 gespart</translation>
    </message>
    <message>
        <source>Sum   %1</source>
        <translation>Summe   %1</translation>
    </message>
    <message>
        <source>No change</source>
        <translation>Keine Änderung</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>as written</source>
        <translation>wie geschrieben</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>Same result, executed</source>
        <translation>Gleiches Ergebnis</translation>
    </message>
    <message>
        <source>The results differ</source>
        <translation>Die Ergebnisse weichen ab</translation>
    </message>
    <message>
        <source>Not executed</source>
        <translation>Nicht ausgeführt</translation>
    </message>
    <message>
        <source>Both programs were executed on small sizes and compared.</source>
        <translation>Beide Programme wurden mit kleinen Größen ausgeführt und verglichen.</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Beschleunigung</translation>
    </message>
    <message>
        <source>Tensors per rank</source>
        <translation>Tensoren je Rang</translation>
    </message>
    <message>
        <source>was %1</source>
        <translation>war %1</translation>
    </message>
    <message>
        <source>%1 hidden, %2 chunks</source>
        <translation>%1 verdeckt, %2 Chunks</translation>
    </message>
    <message>
        <source>The step is not simulated: %1</source>
        <translation>Der Schritt wird nicht simuliert: %1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>working</source>
        <translation>rechnet</translation>
    </message>
    <message>
        <source>In the step, %1 times</source>
        <translation>Im Schritt, %1-mal</translation>
    </message>
    <message>
        <source>Step, simulated</source>
        <translation>Schritt, simuliert</translation>
    </message>
    <message>
        <source>Step of the plan</source>
        <translation>Schritt des Plans</translation>
    </message>
    <message>
        <source>%1 groups of %2 ranks</source>
        <translation>%1 Gruppen mit %2 Rängen</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 Ränge</translation>
    </message>
    <message>
        <source>Next steps at %1</source>
        <translation>Nächste Schritte bei %1</translation>
    </message>
    <message>
        <source>Return takes one</source>
        <translation>Eingabe nimmt einen</translation>
    </message>
    <message>
        <source>Looking for what is legal here.</source>
        <translation>Sucht, was hier zulässig ist.</translation>
    </message>
    <message>
        <source>The program is too long for a list of all steps. Type one.</source>
        <translation>Das Programm ist zu lang für eine Liste aller Schritte. Einen eintippen.</translation>
    </message>
    <message>
        <source>There is nothing to do here.</source>
        <translation>Hier ist nichts zu tun.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Search again</source>
        <translation>Erneut suchen</translation>
    </message>
    <message>
        <source>Keep what was found</source>
        <translation>Behalten, was gefunden ist</translation>
    </message>
    <message>
        <source>Look for the fastest schedule</source>
        <translation>Den schnellsten Ablaufplan suchen</translation>
    </message>
    <message>
        <source>Searching.</source>
        <translation>Sucht.</translation>
    </message>
    <message>
        <source>Nothing has been searched. Search looks for the fastest schedule (T).</source>
        <translation>Noch nichts gesucht. Suchen sucht den schnellsten Ablaufplan (T).</translation>
    </message>
    <message>
        <source>%1 programs in %2 s, the best takes %3</source>
        <translation>%1 Programme in %2 s, das beste braucht %3</translation>
    </message>
    <message>
        <source>%1 channels</source>
        <translation>%1 Kanäle</translation>
    </message>
    <message>
        <source>, %1 with %2</source>
        <translation>, %1 mit %2</translation>
    </message>
    <message>
        <source> so far</source>
        <translation> bisher</translation>
    </message>
    <message>
        <source>. Search complete: there are no others. Return shows one.</source>
        <translation>. Suche vollständig: es gibt keine weiteren. Eingabe zeigt eines.</translation>
    </message>
    <message>
        <source>. Not all were looked at. Return shows one.</source>
        <translation>. Nicht alle wurden geprüft. Eingabe zeigt eines.</translation>
    </message>
</context>
<context>
    <name>RewriteStart</name>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>No program is open. A file with a section transform says which tensors there are and what is computed and sent.</source>
        <translation>Kein Programm offen. Eine Datei mit einem Abschnitt transform sagt, welche Tensoren es gibt und was berechnet und gesendet wird.</translation>
    </message>
</context>
<context>
    <name>RewriteTexts</name>
    <message>
        <source>%1 · %2 · %3 of %4</source>
        <translation>%1 · %2 · %3 von %4</translation>
    </message>
    <message>
        <source>Split %1</source>
        <translation>%1 teilen</translation>
    </message>
    <message>
        <source>Move %1 behind %2</source>
        <translation>%1 hinter %2 verschieben</translation>
    </message>
    <message>
        <source>Store %1 in slices</source>
        <translation>%1 in Scheiben speichern</translation>
    </message>
    <message>
        <source>Fuse %1</source>
        <translation>%1 verschmelzen</translation>
    </message>
    <message>
        <source>Overlap %1</source>
        <translation>%1 überlappen</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>%1 · %2 per rank saved</source>
        <translation>%1 · %2 je Rang gespart</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Layout before</source>
        <translation>Layout vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Layout after</source>
        <translation>Layout nachher</translation>
    </message>
    <message>
        <source>Per rank before</source>
        <translation>Je Rang vorher</translation>
    </message>
    <message>
        <source>Per rank before [B]</source>
        <translation>Je Rang vorher [B]</translation>
    </message>
    <message>
        <source>Per rank after</source>
        <translation>Je Rang nachher</translation>
    </message>
    <message>
        <source>Per rank after [B]</source>
        <translation>Je Rang nachher [B]</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespart</translation>
    </message>
    <message>
        <source>Saved [B]</source>
        <translation>Gespart [B]</translation>
    </message>
</context>
<context>
    <name>RooflineChart</name>
    <message>
        <source>From the left: %1</source>
        <translation>Von links: %1</translation>
    </message>
    <message>
        <source>no bytes</source>
        <translation>ohne Bytes</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1 über %2</translation>
    </message>
</context>
<context>
    <name>RooflineTexts</name>
    <message>
        <source>%1 FLOP/byte</source>
        <translation>%1 FLOP/Byte</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 mit %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>Punkt</translation>
    </message>
    <message>
        <source>Reaches</source>
        <translation>Erreicht</translation>
    </message>
    <message>
        <source>Reaches [FLOP/s, B/s]</source>
        <translation>Erreicht [FLOP/s, B/s]</translation>
    </message>
    <message>
        <source>Roof</source>
        <translation>Dach</translation>
    </message>
    <message>
        <source>Roof [FLOP/s, B/s]</source>
        <translation>Dach [FLOP/s, B/s]</translation>
    </message>
    <message>
        <source>Of the roof, %</source>
        <translation>Vom Dach, %</translation>
    </message>
    <message>
        <source>Of the roof [1]</source>
        <translation>Vom Dach [1]</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Durch</translation>
    </message>
    <message>
        <source>FLOP/byte, or each sends</source>
        <translation>FLOP/Byte, oder je NPU gesendet</translation>
    </message>
    <message>
        <source>Intensity [FLOP/B, B]</source>
        <translation>Intensität [FLOP/B, B]</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Mean time</source>
        <translation>Mittlere Zeit</translation>
    </message>
    <message>
        <source>Mean time [ps]</source>
        <translation>Mittlere Zeit [ps]</translation>
    </message>
    <message>
        <source>Ranks, algorithm</source>
        <translation>Ränge, Algorithmus</translation>
    </message>
</context>
<context>
    <name>RooflineView</name>
    <message>
        <source>Computations</source>
        <translation>Rechnungen</translation>
    </message>
    <message>
        <source>Collectives and messages</source>
        <translation>Kollektive und Nachrichten</translation>
    </message>
    <message>
        <source>Rooflines</source>
        <translation>Rooflines</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>FLOP per byte of memory</source>
        <translation>FLOP je Byte Speicher</translation>
    </message>
    <message>
        <source>FLOP/s of an NPU</source>
        <translation>FLOP/s einer NPU</translation>
    </message>
    <message>
        <source>bytes each NPU sends</source>
        <translation>Bytes, die jede NPU sendet</translation>
    </message>
    <message>
        <source>bytes/s of an NPU</source>
        <translation>Bytes/s einer NPU</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>The points as a table</source>
        <translation>Die Punkte als Tabelle</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch nichts gelaufen.</translation>
    </message>
    <message>
        <source>The run has no computations that say their FLOP, and no collectives and messages with a known roof.</source>
        <translation>Der Lauf hat keine Rechnungen, die ihre FLOP nennen, und keine Kollektive und Nachrichten mit bekanntem Dach.</translation>
    </message>
    <message>
        <source>memory %1</source>
        <translation>Speicher %1</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>Spitze %1</translation>
    </message>
    <message>
        <source>%1 of %2, %3: %4</source>
        <translation>%1 von %2, %3: %4</translation>
    </message>
    <message>
        <source>It says no bytes: memory does not hold it up.</source>
        <translation>Ohne Angabe von Bytes: Speicher hält sie nicht auf.</translation>
    </message>
    <message>
        <source>%1 tasks of %2, %3 on average</source>
        <translation>%1 Tasks von %2, im Mittel %3</translation>
    </message>
    <message>
        <source>Its time is given: it may lie above the roof.</source>
        <translation>Die Zeit ist vorgegeben: der Punkt kann über dem Dach liegen.</translation>
    </message>
    <message>
        <source>No computation says its FLOP.</source>
        <translation>Keine Rechnung nennt ihre FLOP.</translation>
    </message>
    <message>
        <source>latency %1</source>
        <translation>Latenz %1</translation>
    </message>
    <message>
        <source>bandwidth %1</source>
        <translation>Bandbreite %1</translation>
    </message>
    <message>
        <source>Each NPU sends %1 in %2</source>
        <translation>Jede NPU sendet %1 in %2</translation>
    </message>
    <message>
        <source>, in %1 at worst</source>
        <translation>, schlimmstenfalls in %1</translation>
    </message>
    <message>
        <source>%1 by %2; narrowest: %3</source>
        <translation>%1-mal %2; am engsten: %3</translation>
    </message>
    <message>
        <source>The run has no collectives and no messages.</source>
        <translation>Der Lauf hat keine Kollektive und keine Nachrichten.</translation>
    </message>
    <message>
        <source>There is no roof under %1, which does not keep all traffic to the rates of the links; links and flow do.</source>
        <translation>Unter %1 gibt es kein Dach: Dort hält sich nicht aller Verkehr an die Raten der Links; unter links und flow ja.</translation>
    </message>
    <message>
        <source>Of %1 the fastest took %2, the slowest %3.</source>
        <translation>Von %1 dauerte die schnellste %2, die langsamste %3.</translation>
    </message>
</context>
<context>
    <name>RowLabelTexts</name>
    <message>
        <source>was %1</source>
        <translation>war %1</translation>
    </message>
</context>
<context>
    <name>ScheduleTree</name>
    <message>
        <source>Schedules tried</source>
        <translation>Geprüfte Ablaufpläne</translation>
    </message>
    <message>
        <source>as written</source>
        <translation>wie geschrieben</translation>
    </message>
    <message>
        <source>%1, %2 of tensors per rank</source>
        <translation>%1, %2 Tensoren je Rang</translation>
    </message>
    <message>
        <source>%1 shorter than before this step</source>
        <translation>%1 kürzer als vor diesem Schritt</translation>
    </message>
    <message>
        <source>%1 longer than before this step</source>
        <translation>%1 länger als vor diesem Schritt</translation>
    </message>
    <message>
        <source>%1 more from here</source>
        <translation>%1 weitere ab hier</translation>
    </message>
    <message>
        <source>+%1 · %2</source>
        <translation>+%1 · %2</translation>
    </message>
</context>
<context>
    <name>SelectionPanel</name>
    <message>
        <source>Selection</source>
        <translation>Auswahl</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Keine Grenze</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name of the part</source>
        <translation>Name des Teils</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Rate of the selected links</source>
        <translation>Rate der ausgewählten Links</translation>
    </message>
    <message>
        <source>Latency of the selected links</source>
        <translation>Latenz der ausgewählten Links</translation>
    </message>
    <message>
        <source>A value, or a change such as +10% or *2, of each selected link</source>
        <translation>Ein Wert oder eine Änderung wie +10% oder *2, für jeden ausgewählten Link</translation>
    </message>
    <message>
        <source>Crossbar</source>
        <translation>Crossbar</translation>
    </message>
    <message>
        <source>Crossbar of the selected switches</source>
        <translation>Crossbar der ausgewählten Switches</translation>
    </message>
    <message>
        <source>Bytes that each selected switch passes on per second, all its ports together</source>
        <translation>Bytes, die jeder ausgewählte Switch je Sekunde weitergibt, alle Ports zusammen</translation>
    </message>
    <message>
        <source>The selected switches pass on as much as their links carry</source>
        <translation>Die ausgewählten Switches geben so viel weiter, wie ihre Links tragen</translation>
    </message>
    <message>
        <source>These switches differ: a value is set for all.</source>
        <translation>Diese Switches sind verschieden: ein Wert wird für alle gesetzt.</translation>
    </message>
    <message>
        <source>Takes the override out of the design</source>
        <translation>Nimmt die Abweichung aus dem Entwurf</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>Ausrichten</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Centres</source>
        <translation>Zentriert</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Oben</translation>
    </message>
    <message>
        <source>Middles</source>
        <translation>Mittig</translation>
    </message>
    <message>
        <source>Bottom</source>
        <translation>Unten</translation>
    </message>
    <message>
        <source>Distribute</source>
        <translation>Verteilen</translation>
    </message>
    <message>
        <source>Across</source>
        <translation>Waagrecht</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>Senkrecht</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Verdoppeln</translation>
    </message>
    <message>
        <source>With the links to others (Ctrl+D)</source>
        <translation>Mit den Links zu anderen (Strg+D)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>mixed: %1</source>
        <translation>gemischt: %1</translation>
    </message>
    <message>
        <source>%1 of %2 links overridden</source>
        <translation>%1 von %2 Links abweichend</translation>
    </message>
    <message>
        <source>1 NPU overridden</source>
        <translation>1 NPU abweichend</translation>
    </message>
    <message>
        <source>%1 NPUs overridden</source>
        <translation>%1 NPUs abweichend</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>1 link</source>
        <translation>1 Link</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 Links</translation>
    </message>
    <message>
        <source>The parts of this fabric are not written one by one.</source>
        <translation>Die Teile dieses Netzes stehen nicht einzeln da.</translation>
    </message>
    <message>
        <source>Nothing is drawn yet.</source>
        <translation>Noch nichts gezeichnet.</translation>
    </message>
    <message>
        <source>On the page: %1</source>
        <translation>Auf der Seite: %1</translation>
    </message>
    <message>
        <source>mixed</source>
        <translation>gemischt</translation>
    </message>
    <message>
        <source>A name with {i} numbers the parts: gpu{i}</source>
        <translation>Ein Name mit {i} nummeriert die Teile: gpu{i}</translation>
    </message>
</context>
<context>
    <name>SensitivityChart</name>
    <message>
        <source>What 10 % faster saves, and how far that holds</source>
        <translation>Was 10 % mehr Tempo spart, und wie weit das gilt</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>nowhere: a kink</source>
        <translation>nirgends: ein Knick</translation>
    </message>
    <message>
        <source>over ± %1</source>
        <translation>über ± %1</translation>
    </message>
    <message>
        <source>−%1 to +%2</source>
        <translation>−%1 bis +%2</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>Current: %1</source>
        <translation>Aktuell: %1</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>%1, from %2 to %3</source>
        <translation>%1, von %2 bis %3</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>No setting answers this.</source>
        <translation>Keine Einstellung passt dazu.</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Runs and files</source>
        <translation>Läufe und Dateien</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>Leisten</translation>
    </message>
    <message>
        <source>List of settings</source>
        <translation>Liste der Einstellungen</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Alle zurücksetzen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Find a setting</source>
        <translation>Einstellung suchen</translation>
    </message>
    <message>
        <source>Find a setting (Ctrl+F)</source>
        <translation>Einstellung suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Back to the usual value</source>
        <translation>Zurück zum üblichen Wert</translation>
    </message>
    <message>
        <source>%1: back to the usual value</source>
        <translation>%1: zurück zum üblichen Wert</translation>
    </message>
    <message>
        <source>usually %1</source>
        <translation>üblich: %1</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>light, or dark</source>
        <translation>hell, sonst dunkel</translation>
    </message>
    <message>
        <source> px</source>
        <translation> px</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>that of the system; changes at the next start</source>
        <translation>die des Systems; wechselt beim nächsten Start</translation>
    </message>
    <message>
        <source>one per core</source>
        <translation>einer je Kern</translation>
    </message>
    <message>
        <source>one per core, or 1 to %1</source>
        <translation>einer je Kern oder 1 bis %1</translation>
    </message>
    <message>
        <source> min</source>
        <translation> min</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
</context>
<context>
    <name>ShardPage</name>
    <message>
        <source>Working …</source>
        <translation>Rechnet …</translation>
    </message>
    <message>
        <source>Sharding</source>
        <translation>Sharding</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Mesh</translation>
    </message>
    <message>
        <source>Annotations</source>
        <translation>Annotationen</translation>
    </message>
    <message>
        <source>Copy the graph into the design</source>
        <translation>Graph in den Entwurf kopieren</translation>
    </message>
    <message>
        <source>Mesh and annotations</source>
        <translation>Mesh und Annotationen</translation>
    </message>
    <message>
        <source>Communications</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>What devices send</source>
        <translation>Was Geräte senden</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>How the axes came</source>
        <translation>Woher die Achsen kommen</translation>
    </message>
    <message>
        <source>What would remove it</source>
        <translation>Was sie beseitigen würde</translation>
    </message>
    <message>
        <source>Times and what would remove a communication</source>
        <translation>Zeiten und was eine Kommunikation beseitigen würde</translation>
    </message>
    <message>
        <source>The workload of this design is no sharded graph.</source>
        <translation>Die Last dieses Entwurfs ist kein Graph mit Sharding.</translation>
    </message>
    <message>
        <source>The graph of this design has an error.</source>
        <translation>Der Graph dieses Entwurfs hat einen Fehler.</translation>
    </message>
    <message>
        <source>
Expected: %1</source>
        <translation>
Erwartet: %1</translation>
    </message>
    <message>
        <source>Devices send each other nothing.</source>
        <translation>Geräte senden einander nichts.</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>%1, wanted</source>
        <translation>%1, gewünscht</translation>
    </message>
    <message>
        <source>Solid frame: annotation. Dashed: propagated. Click a cell to set its axes, or press Return; Delete drops the annotation of its tensor.</source>
        <translation>Durchgezogener Rahmen: Annotation. Gestrichelt: abgeleitet. Klick auf eine Zelle oder Eingabe setzt ihre Achsen; Entf entfernt die Annotation ihres Tensors.</translation>
    </message>
    <message>
        <source>The graph is in %1. Annotations can be edited here when it is in the design.</source>
        <translation>Der Graph steht in %1. Annotationen lassen sich hier bearbeiten, wenn er im Entwurf steht.</translation>
    </message>
    <message>
        <source>Not simulated: %1</source>
        <translation>Nicht simuliert: %1</translation>
    </message>
    <message>
        <source>all steps one after another, simulated on the platform of the design</source>
        <translation>alle Schritte nacheinander, simuliert auf der Plattform des Entwurfs</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>Unverdeckte Kommunikation</translation>
    </message>
    <message>
        <source>as now</source>
        <translation>wie jetzt</translation>
    </message>
    <message>
        <source>▼ %1</source>
        <translation>▼ %1</translation>
    </message>
    <message>
        <source>▲ %1</source>
        <translation>▲ %1</translation>
    </message>
    <message>
        <source>instead of the %1 of %2</source>
        <translation>statt %1 von %2</translation>
    </message>
    <message>
        <source>Nothing is simulated.</source>
        <translation>Nichts ist simuliert.</translation>
    </message>
    <message>
        <source>Only the five slowest communications are tried, and no change of one annotation removes this one, or it is not among them.</source>
        <translation>Nur die fünf langsamsten Kommunikationen werden geprüft, und keine Änderung einer Annotation beseitigt diese, oder sie gehört nicht dazu.</translation>
    </message>
    <message>
        <source>No change of one annotation removes one of the slowest communications.</source>
        <translation>Keine Änderung einer Annotation beseitigt eine der langsamsten Kommunikationen.</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>Probieren</translation>
    </message>
    <message>
        <source>%1, %2: try it</source>
        <translation>%1, %2: probieren</translation>
    </message>
    <message>
        <source>Point at a cell that is cut.</source>
        <translation>Auf eine geteilte Zelle zeigen.</translation>
    </message>
    <message>
        <source>Nothing is cut there, or it follows what it is the gradient of.</source>
        <translation>Dort ist nichts geteilt, oder es folgt dem, wovon es der Gradient ist.</translation>
    </message>
    <message>
        <source>The change before this one is still being worked out: try again in a moment</source>
        <translation>Die vorige Änderung wird noch ausgerechnet: gleich noch einmal versuchen</translation>
    </message>
    <message>
        <source>The graph on show is that before the error in the design: mend the error first</source>
        <translation>Gezeigt wird der Graph vor dem Fehler im Entwurf: erst den Fehler beheben</translation>
    </message>
    <message>
        <source>The graph is in %1: copy it into the design to edit it here</source>
        <translation>Der Graph steht in %1: zum Bearbeiten in den Entwurf kopieren</translation>
    </message>
    <message>
        <source>Annotate %1</source>
        <translation>%1 annotieren</translation>
    </message>
    <message>
        <source>Drop the annotation of %1</source>
        <translation>Annotation von %1 entfernen</translation>
    </message>
    <message>
        <source>whole</source>
        <translation>ganz</translation>
    </message>
</context>
<context>
    <name>ShardTexts</name>
    <message>
        <source>%1 of %2 over %3, %4</source>
        <translation>%1 von %2 über %3, %4</translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation>all-reduce</translation>
    </message>
    <message>
        <source>reduce-scatter</source>
        <translation>reduce-scatter</translation>
    </message>
    <message>
        <source>all-gather</source>
        <translation>all-gather</translation>
    </message>
    <message>
        <source>all-to-all</source>
        <translation>all-to-all</translation>
    </message>
    <message>
        <source>permute</source>
        <translation>Permutation</translation>
    </message>
    <message>
        <source>halo exchange</source>
        <translation>Halo-Austausch</translation>
    </message>
    <message>
        <source>slice</source>
        <translation>Ausschnitt</translation>
    </message>
    <message>
        <source>conflict: %1</source>
        <translation>Konflikt: %1</translation>
    </message>
    <message>
        <source>sum %1</source>
        <translation>Summe %1</translation>
    </message>
    <message>
        <source>given</source>
        <translation>vorgegeben</translation>
    </message>
    <message>
        <source>derived</source>
        <translation>abgeleitet</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Over</source>
        <translation>Über</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>Simuliert</translation>
    </message>
    <message>
        <source>Simulated [ps]</source>
        <translation>Simuliert [ps]</translation>
    </message>
    <message>
        <source>Sent by a device</source>
        <translation>Je Gerät gesendet</translation>
    </message>
    <message>
        <source>Sent by a device [B]</source>
        <translation>Je Gerät gesendet [B]</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Instead of</source>
        <translation>Statt</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>Where it comes from</source>
        <translation>Woher es kommt</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>%1 of %2, %3</source>
        <translation>%1 von %2, %3</translation>
    </message>
</context>
<context>
    <name>ShardView</name>
    <message>
        <source>Sharding of tensors</source>
        <translation>Sharding der Tensoren</translation>
    </message>
    <message>
        <source>Given by an annotation.</source>
        <translation>Durch eine Annotation vorgegeben.</translation>
    </message>
    <message>
        <source>From %1, dim %2</source>
        <translation>Von %1, Dim %2</translation>
    </message>
    <message>
        <source>to %1, dim %2: %3</source>
        <translation>nach %1, Dim %2: %3</translation>
    </message>
    <message>
        <source>whole</source>
        <translation>ganz</translation>
    </message>
</context>
<context>
    <name>ShareChart</name>
    <message>
        <source>From the ground up: %1</source>
        <translation>Von unten nach oben: %1</translation>
    </message>
    <message>
        <source>idle %1</source>
        <translation>untätig %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>SharedFile</name>
    <message>
        <source>Open in another window</source>
        <translation>In einem anderen Fenster offen</translation>
    </message>
    <message>
        <source>%1 is open in another window (process %2). What is saved there is not seen here.</source>
        <translation>%1 ist in einem anderen Fenster offen (Prozess %2). Was dort gespeichert wird, ist hier nicht zu sehen.</translation>
    </message>
    <message>
        <source>Open read-only</source>
        <translation>Schreibgeschützt öffnen</translation>
    </message>
    <message>
        <source>Open a copy</source>
        <translation>Kopie öffnen</translation>
    </message>
    <message>
        <source>%1 is open in another window (process %2). Saving here would take away what is saved there.</source>
        <translation>%1 ist in einem anderen Fenster offen (Prozess %2). Hier zu speichern nähme weg, was dort gespeichert wird.</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>Anderswo speichern…</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>Überschreiben</translation>
    </message>
    <message>
        <source>%1 has changed on disk since it was read here. Saving would take that change away.</source>
        <translation>%1 hat sich auf der Platte geändert, seit es hier gelesen wurde. Speichern nähme diese Änderung weg.</translation>
    </message>
    <message>
        <source>%1 was deleted or moved since it was read here. Save it there again?</source>
        <translation>%1 wurde gelöscht oder verschoben, seit es hier gelesen wurde. Dort wieder speichern?</translation>
    </message>
    <message>
        <source>%1 can no longer be read, so nobody knows whether it has changed.</source>
        <translation>%1 ist nicht mehr lesbar; ob es sich geändert hat, weiß niemand.</translation>
    </message>
    <message>
        <source>%1 is no ordinary file any more.</source>
        <translation>%1 ist keine gewöhnliche Datei mehr.</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Changed on disk</source>
        <translation>Auf der Platte geändert</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>List of shortcuts</source>
        <translation>Liste der Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>today</source>
        <translation>heute</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>gestern</translation>
    </message>
    <message>
        <source>%1 days ago</source>
        <translation>vor %1 Tagen</translation>
    </message>
    <message>
        <source>Fabricscope</source>
        <translation>Fabricscope</translation>
    </message>
    <message>
        <source>Files you open appear here. Drop files anywhere to open them.</source>
        <translation>Geöffnete Dateien erscheinen hier. Dateien irgendwo ablegen, um sie zu öffnen.</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>Startseite</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Case studies</source>
        <translation>Fallstudien</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Vorgaben</translation>
    </message>
    <message>
        <source>no longer there</source>
        <translation>nicht mehr da</translation>
    </message>
</context>
<context>
    <name>StatusStrip</name>
    <message>
        <source>%1 s left</source>
        <translation>noch %1 s</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>noch %1 min</translation>
    </message>
    <message>
        <source>%1 h left</source>
        <translation>noch %1 h</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>Vorbereitung</translation>
    </message>
    <message>
        <source>%1 events/s</source>
        <translation>%1 Ereignisse/s</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Fingerprint of the result: equal inputs give equal fingerprints. Click to copy.</source>
        <translation>Fingerabdruck des Ergebnisses: gleiche Eingaben geben gleiche Fingerabdrücke. Klick kopiert.</translation>
    </message>
    <message>
        <source>Values nobody gave. Click to list them.</source>
        <translation>Werte, die niemand angab. Klick zeigt sie.</translation>
    </message>
    <message>
        <source>Copied the fingerprint %1</source>
        <translation>Fingerabdruck %1 kopiert</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Stuck</source>
        <translation>Blockiert</translation>
    </message>
    <message>
        <source>simulated in %1</source>
        <translation>simuliert in %1</translation>
    </message>
    <message>
        <source>fingerprint %1</source>
        <translation>Fingerabdruck %1</translation>
    </message>
    <message>
        <source>1 assumed value</source>
        <translation>1 angenommener Wert</translation>
    </message>
    <message>
        <source>%1 assumed values</source>
        <translation>%1 angenommene Werte</translation>
    </message>
    <message>
        <source>Accuracy: outside of what was measured</source>
        <translation>Genauigkeit: außerhalb des Gemessenen</translation>
    </message>
    <message>
        <source>Accuracy: %1</source>
        <translation>Genauigkeit: %1</translation>
    </message>
    <message>
        <source>Accuracy: no measurements for this fabric</source>
        <translation>Genauigkeit: keine Messungen für dieses Netz</translation>
    </message>
    <message>
        <source>Not measured: %1</source>
        <translation>Nicht gemessen: %1</translation>
    </message>
</context>
<context>
    <name>StepCanvas</name>
    <message>
        <source>Group of the collective</source>
        <translation>Gruppe des Kollektivs</translation>
    </message>
    <message>
        <source>Step %1 of %2, %3, %4 moves</source>
        <translation>Schritt %1 von %2, %3, %4 Züge</translation>
    </message>
    <message>
        <source>; selected %1</source>
        <translation>; ausgewählt %1</translation>
    </message>
    <message>
        <source>; NPU %1 holds %2</source>
        <translation>; NPU %1 hält %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>1 part</source>
        <translation>1 Teil</translation>
    </message>
    <message>
        <source>%1 parts</source>
        <translation>%1 Teile</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2, %3&lt;br&gt;%4</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2, %3&lt;br&gt;%4</translation>
    </message>
    <message>
        <source>&lt;b&gt;NPU %1&lt;/b&gt;&lt;br&gt;rank %2</source>
        <translation>&lt;b&gt;NPU %1&lt;/b&gt;&lt;br&gt;Rang %2</translation>
    </message>
    <message>
        <source>&lt;br&gt;holds %1 of %2 parts</source>
        <translation>&lt;br&gt;hält %1 von %2 Teilen</translation>
    </message>
    <message>
        <source>&lt;br&gt;its part %1 sums %2</source>
        <translation>&lt;br&gt;ihr Teil %1 summiert %2</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 Rang</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 Ränge</translation>
    </message>
</context>
<context>
    <name>StepCanvasPainter</name>
    <message>
        <source>D%1 place %2</source>
        <translation>D%1 Platz %2</translation>
    </message>
    <message>
        <source>switch %1</source>
        <translation>Switch %1</translation>
    </message>
</context>
<context>
    <name>StepFacts</name>
    <message>
        <source>Collective</source>
        <translation>Kollektiv</translation>
    </message>
    <message>
        <source>Collective to step through</source>
        <translation>Kollektiv, dem gefolgt wird</translation>
    </message>
    <message>
        <source>Group of the collective</source>
        <translation>Gruppe des Kollektivs</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>Algorithmus</translation>
    </message>
    <message>
        <source>Chunk</source>
        <translation>Chunk</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1, %2 von %3</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>1 in this run</source>
        <translation>1 in diesem Lauf</translation>
    </message>
    <message>
        <source>%1 in this run</source>
        <translation>%1 in diesem Lauf</translation>
    </message>
    <message>
        <source>Ranks %1</source>
        <translation>Ränge %1</translation>
    </message>
    <message>
        <source>✓ Verified</source>
        <translation>✓ Geprüft</translation>
    </message>
    <message>
        <source>Not complete</source>
        <translation>Unvollständig</translation>
    </message>
    <message>
        <source>every rank ends with %1 of %1 contributions</source>
        <translation>jeder Rang endet mit %1 von %1 Beiträgen</translation>
    </message>
    <message>
        <source>every rank ends with %1 of %1 contributions to its part</source>
        <translation>jeder Rang endet mit %1 von %1 Beiträgen zu seinem Teil</translation>
    </message>
    <message>
        <source>every rank ends with all %1 parts</source>
        <translation>jeder Rang endet mit allen %1 Teilen</translation>
    </message>
    <message>
        <source>every rank ends with what the others had for it</source>
        <translation>jeder Rang endet mit dem, was die anderen für ihn hatten</translation>
    </message>
    <message>
        <source>some parts do not arrive</source>
        <translation>manche Teile kommen nicht an</translation>
    </message>
    <message>
        <source>Updating</source>
        <translation>Wird erneuert</translation>
    </message>
    <message>
        <source>%1, %2, … %3</source>
        <translation>%1, %2, … %3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 in %2 chunks of %3</source>
        <translation>%1 in %2 Chunks zu %3</translation>
    </message>
    <message>
        <source>Chunk %1</source>
        <translation>Chunk %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>StepLanes</name>
    <message>
        <source>Time of the chunk</source>
        <translation>Zeit des Chunks</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>All links</source>
        <translation>Alle Links</translation>
    </message>
    <message>
        <source>%1, %2 links</source>
        <translation>%1, %2 Links</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>%1 → D%2 switch</source>
        <translation>%1 → D%2-Switch</translation>
    </message>
    <message>
        <source>to %1</source>
        <translation>nach %1</translation>
    </message>
    <message>
        <source>Reducer of %1</source>
        <translation>Reduktion %1</translation>
    </message>
    <message>
        <source>Arrivals at %1</source>
        <translation>Ankünfte %1</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2 to %3</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2 bis %3</translation>
    </message>
</context>
<context>
    <name>StepLists</name>
    <message>
        <source>Steps and moves</source>
        <translation>Schritte und Züge</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Moves</source>
        <translation>Züge</translation>
    </message>
    <message>
        <source>Steps of the chunk</source>
        <translation>Schritte des Chunks</translation>
    </message>
    <message>
        <source>Moves of the step</source>
        <translation>Züge des Schritts</translation>
    </message>
    <message>
        <source>Steps over moves</source>
        <translation>Schritte über Zügen</translation>
    </message>
    <message>
        <source>Chunk part</source>
        <translation>Chunk-Teil</translation>
    </message>
    <message>
        <source>State at %1</source>
        <translation>Stand bei %1</translation>
    </message>
    <message>
        <source>chunk %1, %2</source>
        <translation>Chunk %1, %2</translation>
    </message>
    <message>
        <source>Moves of step %1</source>
        <translation>Züge von Schritt %1</translation>
    </message>
    <message>
        <source>all %1 done</source>
        <translation>alle %1 fertig</translation>
    </message>
    <message>
        <source>%1 of %2 done</source>
        <translation>%1 von %2 fertig</translation>
    </message>
</context>
<context>
    <name>StepPaint</name>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
</context>
<context>
    <name>StepTableModel</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Dim</source>
        <translation>Dim</translation>
    </message>
    <message>
        <source>Moves</source>
        <translation>Züge</translation>
    </message>
    <message>
        <source>Each</source>
        <translation>Je Zug</translation>
    </message>
</context>
<context>
    <name>StepTransport</name>
    <message>
        <source>Transport</source>
        <translation>Wiedergabe</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>Erster Schritt</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Pos1</translation>
    </message>
    <message>
        <source>One step back</source>
        <translation>Ein Schritt zurück</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>One step forward</source>
        <translation>Ein Schritt vor</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>Last step, everything arrived</source>
        <translation>Letzter Schritt, alles angekommen</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Time in the collective</source>
        <translation>Zeit im Kollektiv</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Simulated time per second</source>
        <translation>Simulierte Zeit je Sekunde</translation>
    </message>
    <message>
        <source>Stop at each step</source>
        <translation>Nach jedem Schritt halten</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Halten</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>%1 per second</source>
        <translation>%1 je Sekunde</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>No step</source>
        <translation>Kein Schritt</translation>
    </message>
</context>
<context>
    <name>StepWorkspace</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Collective beside its steps</source>
        <translation>Kollektiv neben seinen Schritten</translation>
    </message>
    <message>
        <source>Steps beside the selected move</source>
        <translation>Schritte neben dem ausgewählten Zug</translation>
    </message>
    <message>
        <source>Collective, steps and moves</source>
        <translation>Kollektiv, Schritte und Züge</translation>
    </message>
    <message>
        <source>Ownership</source>
        <translation>Besitz</translation>
    </message>
    <message>
        <source>Selected move</source>
        <translation>Ausgewählter Zug</translation>
    </message>
    <message>
        <source>Ownership over selected move</source>
        <translation>Besitz über dem ausgewählten Zug</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch nichts gelaufen.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>The run goes on. Its collectives can be stepped through when it has ended.</source>
        <translation>Der Lauf ist noch im Gang. Seinen Kollektiven lässt sich folgen, sobald er endet.</translation>
    </message>
    <message>
        <source>This run has one rank: it has nothing to exchange.</source>
        <translation>Dieser Lauf hat einen Rang: er hat nichts auszutauschen.</translation>
    </message>
    <message>
        <source>This run has no collective that sends messages.</source>
        <translation>Dieser Lauf hat kein Kollektiv, das Nachrichten sendet.</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>Stepping shows the models links and ideal; this run is of another.</source>
        <translation>Schritte gibt es für die Modelle links und ideal; dieser Lauf hat ein anderes.</translation>
    </message>
    <message>
        <source>Run under links</source>
        <translation>Unter links starten</translation>
    </message>
    <message>
        <source>Preparing the steps</source>
        <translation>Schritte werden vorbereitet</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>The steps were not prepared.</source>
        <translation>Die Schritte wurden nicht vorbereitet.</translation>
    </message>
    <message>
        <source>Prepare the steps</source>
        <translation>Schritte vorbereiten</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source>Step %1: %2 on %3</source>
        <translation>Schritt %1: %2 auf %3</translation>
    </message>
    <message>
        <source>Group only, %1 of %2</source>
        <translation>Nur die Gruppe, %1 von %2</translation>
    </message>
    <message>
        <source>NPU × chunk part, contributions of %1</source>
        <translation>NPU × Chunk-Teil, Beiträge von %1</translation>
    </message>
    <message>
        <source>NPU × chunk part</source>
        <translation>NPU × Chunk-Teil</translation>
    </message>
    <message>
        <source>%1, %2: %3 moves done, %4 open</source>
        <translation>%1, %2: %3 Züge fertig, %4 offen</translation>
    </message>
</context>
<context>
    <name>Storyboard</name>
    <message>
        <source>Step %1, %2, %3</source>
        <translation>Schritt %1, %2, %3</translation>
    </message>
    <message>
        <source>Colours of the phases</source>
        <translation>Farben der Phasen</translation>
    </message>
    <message>
        <source>Storyboard</source>
        <translation>Storyboard</translation>
    </message>
    <message>
        <source>Export SVG</source>
        <translation>Als SVG</translation>
    </message>
    <message>
        <source>Cards of the steps</source>
        <translation>Karten der Schritte</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Export storyboard</source>
        <translation>Storyboard exportieren</translation>
    </message>
    <message>
        <source>SVG pictures (*.svg)</source>
        <translation>SVG-Bilder (*.svg)</translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation>Nicht exportiert</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>%1 wurde nicht geschrieben: %2</translation>
    </message>
</context>
<context>
    <name>SynthesisPanel</name>
    <message>
        <source>Method</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>Chunks</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Planned [ps]</source>
        <translation>Geplant [ps]</translation>
    </message>
    <message>
        <source>Of the plan at best, %</source>
        <translation>Vom besten möglichen Plan, %</translation>
    </message>
    <message>
        <source>Of the plan at best [1]</source>
        <translation>Vom besten möglichen Plan [1]</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>Genommen</translation>
    </message>
    <message>
        <source>Plan at best</source>
        <translation>Bester möglicher Plan</translation>
    </message>
    <message>
        <source>Plan at best [ps]</source>
        <translation>Bester möglicher Plan [ps]</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>best</source>
        <translation>bestes</translation>
    </message>
    <message>
        <source>optimal</source>
        <translation>optimal</translation>
    </message>
    <message>
        <source>optimal, %1</source>
        <translation>optimal, %1</translation>
    </message>
    <message>
        <source>best so far</source>
        <translation>bisher bestes</translation>
    </message>
    <message>
        <source>best so far, %1</source>
        <translation>bisher bestes, %1</translation>
    </message>
    <message>
        <source>Synthesise</source>
        <translation>Synthese</translation>
    </message>
    <message>
        <source>Open &amp;as text</source>
        <translation>&amp;Als Text öffnen</translation>
    </message>
    <message>
        <source>&amp;Save…</source>
        <translation>S&amp;peichern…</translation>
    </message>
    <message>
        <source>&amp;Use in design…</source>
        <translation>Im Entwurf &amp;verwenden…</translation>
    </message>
    <message>
        <source>Synthesise a program</source>
        <translation>Synthese eines Programms</translation>
    </message>
    <message>
        <source>Back to the text</source>
        <translation>Zurück zum Text</translation>
    </message>
    <message>
        <source>The search goes on (Esc)</source>
        <translation>Die Suche läuft weiter (Esc)</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>Programs found</source>
        <translation>Gefundene Programme</translation>
    </message>
    <message>
        <source>Nothing has been searched yet.</source>
        <translation>Noch nichts gesucht.</translation>
    </message>
    <message>
        <source>%1, best %2</source>
        <translation>%1, bestes %2</translation>
    </message>
    <message>
        <source>Stopped before anything was found.</source>
        <translation>Gestoppt, bevor etwas gefunden war.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Which NPUs take part, such as 0-7,16; empty: all</source>
        <translation>Welche NPUs teilnehmen, etwa 0-7,16; leer: alle</translation>
    </message>
    <message>
        <source>The large side: what an all-gather gives, what a reduce-scatter takes</source>
        <translation>Die große Seite: was ein all-gather gibt, was ein reduce-scatter nimmt</translation>
    </message>
    <message>
        <source>Rank that broadcasts or gets the sum</source>
        <translation>Rang, der verteilt oder die Summe bekommt</translation>
    </message>
    <message>
        <source>1 to 16</source>
        <translation>1 bis 16</translation>
    </message>
    <message>
        <source>Parts of what each rank gives; below 1: 1, 2, 4, 8 and 16 are tried</source>
        <translation>Teile dessen, was jeder Rang gibt; unter 1: 1, 2, 4, 8 und 16 werden probiert</translation>
    </message>
    <message>
        <source>So many seeds are tried; the best is kept</source>
        <translation>So viele Startwerte werden probiert; das Beste bleibt</translation>
    </message>
    <message>
        <source>The first of the seeds</source>
        <translation>Der erste der Startwerte</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>For each method and number of chunks; then the best so far is given</source>
        <translation>Für jedes Verfahren und jede Zahl von Chunks; danach zählt das bisher Beste</translation>
    </message>
    <message>
        <source>&amp;NPUs</source>
        <translation>&amp;NPUs</translation>
    </message>
    <message>
        <source>&amp;Collective</source>
        <translation>&amp;Kollektiv</translation>
    </message>
    <message>
        <source>Roo&amp;t</source>
        <translation>Wur&amp;zel</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>&amp;Größe</translation>
    </message>
    <message>
        <source>&amp;Method</source>
        <translation>Ver&amp;fahren</translation>
    </message>
    <message>
        <source>Chun&amp;ks</source>
        <translation>C&amp;hunks</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Startwerte</translation>
    </message>
    <message>
        <source>from</source>
        <translation>ab</translation>
    </message>
    <message>
        <source>First seed</source>
        <translation>Erster Startwert</translation>
    </message>
    <message>
        <source>Time &amp;limit</source>
        <translation>Z&amp;eitgrenze</translation>
    </message>
    <message>
        <source>all %1 of %2</source>
        <translation>alle %1 von %2</translation>
    </message>
    <message>
        <source>no platform</source>
        <translation>keine Plattform</translation>
    </message>
    <message>
        <source>The design has no platform that can be read. Open one.</source>
        <translation>Der Entwurf hat keine lesbare Plattform. Einen öffnen.</translation>
    </message>
    <message>
        <source>NPUs: two or more numbers below %1, such as 0-7,16; empty: all.</source>
        <translation>NPUs: zwei oder mehr Zahlen unter %1, etwa 0-7,16; leer: alle.</translation>
    </message>
    <message>
        <source>There is nothing to send. Enter a size such as 64 MiB.</source>
        <translation>Es gibt nichts zu senden. Eine Größe wie 64 MiB eingeben.</translation>
    </message>
    <message>
        <source>Rank %1 is none of %2. Choose a root from 0 on.</source>
        <translation>Rang %1 ist keiner von %2. Eine Wurzel ab 0 wählen.</translation>
    </message>
    <message>
        <source>The shortest of the first three methods.</source>
        <translation>Das kürzeste der ersten drei Verfahren.</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stoppen</translation>
    </message>
    <message>
        <source>S&amp;ynthesise</source>
        <translation>S&amp;ynthese</translation>
    </message>
    <message>
        <source>Stop the search and keep the best so far</source>
        <translation>Suche stoppen und das bisher Beste behalten</translation>
    </message>
    <message>
        <source>Search for a program in the background</source>
        <translation>Im Hintergrund ein Programm suchen</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Wird gestoppt</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>Sucht</translation>
    </message>
    <message>
        <source>Nothing has been found yet.</source>
        <translation>Noch nichts gefunden.</translation>
    </message>
    <message>
        <source>Stopped, best so far %1</source>
        <translation>Gestoppt, bisher bestes %1</translation>
    </message>
    <message>
        <source>%1 planned</source>
        <translation>%1 geplant</translation>
    </message>
    <message>
        <source>%1 of the plan at best</source>
        <translation>%1 des besten möglichen Plans</translation>
    </message>
    <message>
        <source>%1 under links</source>
        <translation>%1 unter links</translation>
    </message>
    <message>
        <source>not simulated: %1</source>
        <translation>nicht simuliert: %1</translation>
    </message>
    <message>
        <source>verified</source>
        <translation>geprüft</translation>
    </message>
    <message>
        <source>Synthesised by</source>
        <translation>Synthese durch</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Für</translation>
    </message>
    <message>
        <source>Reached</source>
        <translation>Erreicht</translation>
    </message>
    <message>
        <source>Under links</source>
        <translation>Unter links</translation>
    </message>
    <message>
        <source>This program was too large to keep. Synthesise it alone.</source>
        <translation>Dieses Programm war zu groß, um es zu behalten. Es allein suchen.</translation>
    </message>
</context>
<context>
    <name>TimeCharts</name>
    <message>
        <source>Busy links over time</source>
        <translation>Belegte Links über die Zeit</translation>
    </message>
    <message>
        <source>Ranks over time</source>
        <translation>Ränge über die Zeit</translation>
    </message>
    <message>
        <source>Charts over time</source>
        <translation>Diagramme über die Zeit</translation>
    </message>
    <message>
        <source>Ranks to show over time</source>
        <translation>Ränge, die über die Zeit gezeigt werden</translation>
    </message>
    <message>
        <source>All ranks together, or those with the same times</source>
        <translation>Alle Ränge zusammen oder die mit denselben Zeiten</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>Alle Ränge</translation>
    </message>
    <message>
        <source>This run was kept without its times.</source>
        <translation>Dieser Lauf wurde ohne seine Zeiten behalten.</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch nichts gelaufen.</translation>
    </message>
    <message>
        <source>The model does not follow links over time.</source>
        <translation>Das Modell verfolgt Links nicht über die Zeit.</translation>
    </message>
    <message>
        <source>The ranks do nothing that takes time.</source>
        <translation>Die Ränge tun nichts, was Zeit braucht.</translation>
    </message>
</context>
<context>
    <name>TimelineFindBar</name>
    <message>
        <source>Find tasks</source>
        <translation>Tasks suchen</translation>
    </message>
    <message>
        <source>Find tasks by name</source>
        <translation>Tasks nach Namen suchen</translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation>Voriger Treffer (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation>Nächster Treffer (F3)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>Sucht</translation>
    </message>
    <message>
        <source>No match</source>
        <translation>Kein Treffer</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>1 match</source>
        <translation>1 Treffer</translation>
    </message>
    <message>
        <source>%1 matches</source>
        <translation>%1 Treffer</translation>
    </message>
</context>
<context>
    <name>TimelineLegend</name>
    <message>
        <source>Timeline legend</source>
        <translation>Legende der Zeitachse</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Exposed</source>
        <translation>Unverdeckt</translation>
    </message>
    <message>
        <source>Previous run</source>
        <translation>Voriger Lauf</translation>
    </message>
</context>
<context>
    <name>TimelinePainter</name>
    <message>
        <source>done %1</source>
        <translation>%1 fertig</translation>
    </message>
</context>
<context>
    <name>TimelinePlaybackBar</name>
    <message>
        <source>Playback</source>
        <translation>Wiedergabe</translation>
    </message>
    <message>
        <source>Cursor back</source>
        <translation>Zeitmarke zurück</translation>
    </message>
    <message>
        <source>Cursor back (Left in the timeline)</source>
        <translation>Zeitmarke zurück (Links auf der Zeitachse)</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Cursor forward</source>
        <translation>Zeitmarke vor</translation>
    </message>
    <message>
        <source>Cursor forward (Right in the timeline)</source>
        <translation>Zeitmarke vor (Rechts auf der Zeitachse)</translation>
    </message>
    <message>
        <source>Speed of playback</source>
        <translation>Tempo der Wiedergabe</translation>
    </message>
    <message>
        <source>At 1× what is on show takes %1 s</source>
        <translation>Bei 1× dauert das Gezeigte %1 s</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>Ganzer Lauf</translation>
    </message>
    <message>
        <source>Take the time cursor away: links show the whole run again (Esc)</source>
        <translation>Zeitmarke wegnehmen: Links zeigen wieder den ganzen Lauf (Esc)</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>%1 (P in the timeline)</source>
        <translation>%1 (P auf der Zeitachse)</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>TimelineRows</name>
    <message>
        <source>%1 alike</source>
        <translation>%1 gleiche</translation>
    </message>
    <message>
        <source>Memory, live bytes</source>
        <translation>Speicher, lebende Bytes</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>Ranks %1</source>
        <translation>Ränge %1</translation>
    </message>
    <message>
        <source>%1, over %2</source>
        <translation>%1, über %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Dimensions, busy share</source>
        <translation>Dimensionen, Belegung</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 Links</translation>
    </message>
</context>
<context>
    <name>TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>Zeitachse</translation>
    </message>
    <message>
        <source>Time of the run by rank class and dimension</source>
        <translation>Zeit des Laufs nach Rangklasse und Dimension</translation>
    </message>
    <message>
        <source>%1, %2 from %3</source>
        <translation>%1, %2 ab %3</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch nichts gelaufen.</translation>
    </message>
    <message>
        <source>%1: %2 of %3 live at %4</source>
        <translation>%1: %2 von %3 lebend bei %4</translation>
    </message>
    <message>
        <source>%1: %2 live at %3</source>
        <translation>%1: %2 lebend bei %3</translation>
    </message>
    <message>
        <source>%1: %2 busy at %3</source>
        <translation>%1: %2 belegt bei %3</translation>
    </message>
</context>
<context>
    <name>TourCard</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Guided tour</source>
        <translation>Rundgang</translation>
    </message>
    <message>
        <source>End tour</source>
        <translation>Rundgang beenden</translation>
    </message>
    <message>
        <source>Guided tour, %1 of %2. %3</source>
        <translation>Rundgang, %1 von %2. %3</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
</context>
<context>
    <name>TradeoffChart</name>
    <message>
        <source>Trade-off</source>
        <translation>Abwägung</translation>
    </message>
    <message>
        <source>%1 designs, %2 over %3</source>
        <translation>%1 Entwürfe, %2 über %3</translation>
    </message>
</context>
<context>
    <name>TransportBar</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>UseProgramDialog</name>
    <message>
        <source>%1 of %2 over %3</source>
        <translation>%1 von %2 über %3</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no size. Enter one such as 64 MiB.</source>
        <translation>„%1“ ist keine Größe. Eine wie 64 MiB eingeben.</translation>
    </message>
    <message>
        <source>&amp;Browse…</source>
        <translation>&amp;Durchsuchen…</translation>
    </message>
    <message>
        <source>Use in design</source>
        <translation>Im Entwurf verwenden</translation>
    </message>
    <message>
        <source>Every group</source>
        <translation>Jede Gruppe</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Large side of the collective, such as 64 KiB</source>
        <translation>Große Seite des Kollektivs, etwa 64 KiB</translation>
    </message>
    <message>
        <source>Algorithm %1, for groups of any size</source>
        <translation>Algorithmus %1, für Gruppen jeder Größe</translation>
    </message>
    <message>
        <source>File beside the design</source>
        <translation>Datei neben dem Entwurf</translation>
    </message>
    <message>
        <source>Browse for the file</source>
        <translation>Nach der Datei suchen</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;, %2 over %3</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;, %2 über %3</translation>
    </message>
    <message>
        <source>any number of ranks</source>
        <translation>beliebig viele Ränge</translation>
    </message>
    <message>
        <source>&amp;Collective</source>
        <translation>&amp;Kollektiv</translation>
    </message>
    <message>
        <source>&amp;Group</source>
        <translation>&amp;Gruppe</translation>
    </message>
    <message>
        <source>Sizes &amp;from</source>
        <translation>Größen &amp;ab</translation>
    </message>
    <message>
        <source>Sizes &amp;to</source>
        <translation>Größen &amp;bis</translation>
    </message>
    <message>
        <source>&amp;Kept as</source>
        <translation>Be&amp;halten als</translation>
    </message>
    <message>
        <source>Fi&amp;le</source>
        <translation>Date&amp;i</translation>
    </message>
    <message>
        <source>&amp;Use in design</source>
        <translation>Im Entwurf &amp;verwenden</translation>
    </message>
    <message>
        <source>Save the program as</source>
        <translation>Programm speichern unter</translation>
    </message>
    <message>
        <source>Programs (*.%1)</source>
        <translation>Programme (*.%1)</translation>
    </message>
    <message>
        <source>No size lies between %1 and %2.</source>
        <translation>Keine Größe liegt zwischen %1 und %2.</translation>
    </message>
    <message>
        <source>The file needs a name that ends in .%1.</source>
        <translation>Die Datei braucht einen Namen, der auf .%1 endet.</translation>
    </message>
    <message>
        <source>There is no folder %1.</source>
        <translation>Es gibt keinen Ordner %1.</translation>
    </message>
    <message>
        <source>Nothing has run yet, so what it will be used for is not known.</source>
        <translation>Noch nichts gelaufen, also ist nicht bekannt, wofür es verwendet wird.</translation>
    </message>
    <message>
        <source>No collective of the last run is meant by this.</source>
        <translation>Kein Kollektiv des letzten Laufs ist hiermit gemeint.</translation>
    </message>
    <message>
        <source>Runs %1.</source>
        <translation>Läuft für %1.</translation>
    </message>
    <message>
        <source>Does not fit %1: it is for %2. Choose the group or the sizes it is for.</source>
        <translation>Passt nicht für %1: es ist für %2. Die Gruppe oder die Größen wählen, für die es ist.</translation>
    </message>
    <message>
        <source>%1 is there and will be replaced.</source>
        <translation>%1 ist schon da und wird ersetzt.</translation>
    </message>
</context>
<context>
    <name>UtilisationCharts</name>
    <message>
        <source>Busy share by dimension</source>
        <translation>Belegung je Dimension</translation>
    </message>
    <message>
        <source>Time by class of ranks</source>
        <translation>Zeit je Rangklasse</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Busy share by dimension, %</source>
        <translation>Belegung je Dimension, %</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>Unverdeckte Kommunikation</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Waiting or idle</source>
        <translation>Warten oder untätig</translation>
    </message>
    <message>
        <source>, slowest %1 of %2</source>
        <translation>, langsamste %1 von %2</translation>
    </message>
    <message>
        <source>Time by class of ranks, %1</source>
        <translation>Zeit je Rangklasse, %1</translation>
    </message>
</context>
<context>
    <name>VariantsPage</name>
    <message>
        <source>1 design</source>
        <translation>1 Entwurf</translation>
    </message>
    <message>
        <source>%1 designs</source>
        <translation>%1 Entwürfe</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>Studie</translation>
    </message>
    <message>
        <source>Export all…</source>
        <translation>Alle exportieren…</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Trade-off</source>
        <translation>Abwägung</translation>
    </message>
    <message>
        <source>Main effects</source>
        <translation>Haupteffekte</translation>
    </message>
    <message>
        <source>All axes</source>
        <translation>Alle Achsen</translation>
    </message>
    <message>
        <source>Brush</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Selected design</source>
        <translation>Ausgewählter Entwurf</translation>
    </message>
    <message>
        <source>Open as design</source>
        <translation>Als Entwurf öffnen</translation>
    </message>
    <message>
        <source>Designs that are done</source>
        <translation>Fertige Entwürfe</translation>
    </message>
    <message>
        <source>Clear brush</source>
        <translation>Bereich aufheben</translation>
    </message>
    <message>
        <source>Objectives</source>
        <translation>Ziele</translation>
    </message>
    <message>
        <source>Constraints</source>
        <translation>Bedingungen</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 wird gelesen…</translation>
    </message>
    <message>
        <source>kept in %1</source>
        <translation>liegt in %1</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Pause; what is done is kept</source>
        <translation>Anhalten; was fertig ist, bleibt</translation>
    </message>
    <message>
        <source>Run the designs that are not kept yet</source>
        <translation>Entwürfe starten, die noch fehlen</translation>
    </message>
    <message>
        <source>All designs are kept</source>
        <translation>Alle Entwürfe sind vorhanden</translation>
    </message>
    <message>
        <source>%1 done, %2 infeasible, %3 failed</source>
        <translation>%1 fertig, %2 unzulässig, %3 fehlgeschlagen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>all are kept</source>
        <translation>alle sind vorhanden</translation>
    </message>
    <message>
        <source>about %1 for at most %2</source>
        <translation>etwa %1 für höchstens %2</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>%1 open</source>
        <translation>%1 offen</translation>
    </message>
    <message>
        <source>measuring how long one takes…</source>
        <translation>misst, wie lange einer dauert…</translation>
    </message>
    <message>
        <source>Search on from what is kept</source>
        <translation>Weiter suchen ab dem Vorhandenen</translation>
    </message>
    <message>
        <source>The search has ended</source>
        <translation>Die Suche ist beendet</translation>
    </message>
    <message>
        <source>%1, %2 pruned</source>
        <translation>%1, %2 verworfen</translation>
    </message>
    <message>
        <source>at most %1 are simulated</source>
        <translation>höchstens %1 werden simuliert</translation>
    </message>
    <message>
        <source>the search has ended</source>
        <translation>die Suche ist beendet</translation>
    </message>
    <message>
        <source>%1 designs/s, %2 left</source>
        <translation>%1 Entwürfe/s, noch %2</translation>
    </message>
    <message>
        <source>looking at what is kept…</source>
        <translation>Vorhandenes wird gesichtet…</translation>
    </message>
    <message>
        <source>Choose a point, or a row of the table.</source>
        <translation>Einen Punkt oder eine Zeile der Tabelle wählen.</translation>
    </message>
    <message>
        <source>On the front</source>
        <translation>Auf der Front</translation>
    </message>
    <message>
        <source>Design %1</source>
        <translation>Entwurf %1</translation>
    </message>
    <message>
        <source>Upwards</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>To the right</source>
        <translation>Nach rechts</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>What brushed designs are coloured by</source>
        <translation>Wonach Entwürfe im Bereich gefärbt werden</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>Gezeigt</translation>
    </message>
    <message>
        <source>Which axes are on show</source>
        <translation>Welche Achsen zu sehen sind</translation>
    </message>
    <message>
        <source>Designs</source>
        <translation>Entwürfe</translation>
    </message>
    <message>
        <source>No design has run yet.</source>
        <translation>Noch kein Entwurf gelaufen.</translation>
    </message>
    <message>
        <source>Which designs</source>
        <translation>Welche Entwürfe</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Front</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>Achsen</translation>
    </message>
    <message>
        <source>Designs as lines over all axes</source>
        <translation>Entwürfe als Linien über alle Achsen</translation>
    </message>
    <message>
        <source>Front in the brush %1</source>
        <translation>Front im Bereich %1</translation>
    </message>
    <message>
        <source>Front %1</source>
        <translation>Front %1</translation>
    </message>
    <message>
        <source>Brushed %1</source>
        <translation>Im Bereich %1</translation>
    </message>
    <message>
        <source>Done %1</source>
        <translation>Fertig %1</translation>
    </message>
    <message>
        <source>All in the brush %1</source>
        <translation>Alle im Bereich %1</translation>
    </message>
    <message>
        <source>All %1</source>
        <translation>Alle %1</translation>
    </message>
    <message>
        <source>%1 on the front</source>
        <translation>%1 auf der Front</translation>
    </message>
    <message>
        <source>%1 brushed, %2, %3 others</source>
        <translation>%1 im Bereich, %2, %3 andere</translation>
    </message>
    <message>
        <source>%1, drag on an axis to brush, its name to move it</source>
        <translation>%1, auf einer Achse ziehen grenzt ein, am Namen ziehen verschiebt sie</translation>
    </message>
    <message>
        <source>One colour</source>
        <translation>Eine Farbe</translation>
    </message>
    <message>
        <source>%1 on the front of both</source>
        <translation>%1 auf der Front beider</translation>
    </message>
    <message>
        <source>Designs stand here once they have run.</source>
        <translation>Hier stehen Entwürfe, sobald sie gelaufen sind.</translation>
    </message>
    <message>
        <source>No design has both: %1, %2.</source>
        <translation>Kein Entwurf hat beides: %1, %2.</translation>
    </message>
    <message>
        <source>mean %1 of each value</source>
        <translation>Mittel je Wert: %1</translation>
    </message>
</context>
<context>
    <name>VariantsStart</name>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>No study is open. A file with a section study says which fields of a design are varied, and what is sought.</source>
        <translation>Keine Studie offen. Eine Datei mit einem Abschnitt study sagt, welche Felder eines Entwurfs variiert werden und was gesucht ist.</translation>
    </message>
</context>
<context>
    <name>WaterfallView</name>
    <message>
        <source>Why the designs differ</source>
        <translation>Warum die Entwürfe sich unterscheiden</translation>
    </message>
    <message>
        <source>with the next</source>
        <translation>mit dem nächsten</translation>
    </message>
    <message>
        <source>The designs do not differ in any field.</source>
        <translation>Die Entwürfe unterscheiden sich in keinem Feld.</translation>
    </message>
    <message>
        <source>One field differs.</source>
        <translation>Ein Feld weicht ab.</translation>
    </message>
    <message>
        <source>%1 fields differ. Each bar is one more changed, simulated; the bars add up exactly.</source>
        <translation>%1 Felder weichen ab. Jeder Balken ist eines mehr geändert, simuliert; die Balken ergeben genau die Summe.</translation>
    </message>
    <message>
        <source>%1 fields differ. Each bar is what its field changes, as the mean over all %2 orders; the bars add up exactly.</source>
        <translation>%1 Felder weichen ab. Jeder Balken ist, was sein Feld ändert, als Mittel über alle %2 Reihenfolgen; die Balken ergeben genau die Summe.</translation>
    </message>
    <message>
        <source>%1 fields differ. Each bar is what its field changes, as the mean over %2 orders, in which it stands at each place equally often; the bars add up exactly.</source>
        <translation>%1 Felder weichen ab. Jeder Balken ist, was sein Feld ändert, als Mittel über %2 Reihenfolgen, in denen es an jedem Platz gleich oft steht; die Balken ergeben genau die Summe.</translation>
    </message>
    <message>
        <source>Designs between that have no time: %1. What they change counts with the next field.</source>
        <translation>Entwürfe dazwischen ohne Zeit: %1. Was sie ändern, zählt beim nächsten Feld.</translation>
    </message>
    <message>
        <source>(not there)</source>
        <translation>(nicht da)</translation>
    </message>
    <message>
        <source>All of %1 that differs.</source>
        <translation>Alles, was in %1 abweicht.</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>%1 A design with this and without the next has no time: %2.</source>
        <translation>%1 Ein Entwurf hiermit und ohne das nächste hat keine Zeit: %2.</translation>
    </message>
    <message>
        <source>Current: %1, %2</source>
        <translation>Aktuell: %1, %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>WhyPane</name>
    <message>
        <source>Waterfall</source>
        <translation>Wasserfall</translation>
    </message>
    <message>
        <source>In this order</source>
        <translation>In dieser Reihenfolge</translation>
    </message>
    <message>
        <source>Mean over orders</source>
        <translation>Mittel der Reihenfolgen</translation>
    </message>
    <message>
        <source>How the fields are changed</source>
        <translation>Wie die Felder geändert werden</translation>
    </message>
    <message>
        <source>One field after the other, or what each changes as the mean over orders</source>
        <translation>Ein Feld nach dem anderen oder was jedes ändert, als Mittel der Reihenfolgen</translation>
    </message>
    <message>
        <source>Change this field earlier</source>
        <translation>Dieses Feld früher ändern</translation>
    </message>
    <message>
        <source>Change this field earlier (Alt+Up)</source>
        <translation>Dieses Feld früher ändern (Alt+Hoch)</translation>
    </message>
    <message>
        <source>Change this field later</source>
        <translation>Dieses Feld später ändern</translation>
    </message>
    <message>
        <source>Change this field later (Alt+Down)</source>
        <translation>Dieses Feld später ändern (Alt+Runter)</translation>
    </message>
    <message>
        <source>Design that the waterfall leads to</source>
        <translation>Entwurf, zu dem der Wasserfall führt</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>One of the two never ends: there is no time to compare.</source>
        <translation>Einer der beiden endet nie: es gibt keine Zeit zu vergleichen.</translation>
    </message>
    <message>
        <source>Why %1 is faster than %2</source>
        <translation>Warum %1 schneller ist als %2</translation>
    </message>
    <message>
        <source>Why %1 is slower than %2</source>
        <translation>Warum %1 langsamer ist als %2</translation>
    </message>
    <message>
        <source>%1 takes as long as %2</source>
        <translation>%1 dauert so lange wie %2</translation>
    </message>
</context>
<context>
    <name>Workload</name>
    <message>
        <source>Line %1: %2</source>
        <translation>Zeile %1: %2</translation>
    </message>
    <message>
        <source>
Expected: %1</source>
        <translation>
Erwartet: %1</translation>
    </message>
</context>
<context>
    <name>WorkloadFacts</name>
    <message>
        <source>Workload</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>%1 ops on %2 devices</source>
        <translation>%1 Operationen auf %2 Geräten</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>given by its times</source>
        <translation>durch seine Zeiten gegeben</translation>
    </message>
    <message>
        <source>described here</source>
        <translation>hier beschrieben</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>placed by speed (HAP)</source>
        <translation>nach Tempo platziert (HAP)</translation>
    </message>
    <message>
        <source>Traces</source>
        <translation>Traces</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>Steps in the design</source>
        <translation>Schritte im Entwurf</translation>
    </message>
    <message>
        <source>%1 along %2</source>
        <translation>%1 entlang %2</translation>
    </message>
    <message>
        <source>1 listed group</source>
        <translation>1 Gruppe als Liste</translation>
    </message>
    <message>
        <source>%1 listed groups</source>
        <translation>%1 Gruppen als Liste</translation>
    </message>
    <message>
        <source>%1 by stride</source>
        <translation>%1 mit Schrittweite</translation>
    </message>
    <message>
        <source>Group %1</source>
        <translation>Gruppe %1</translation>
    </message>
    <message>
        <source>No workload yet</source>
        <translation>Noch keine Last</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
</context>
<context>
    <name>YamlView</name>
    <message>
        <source>Design as YAML</source>
        <translation>Entwurf als YAML</translation>
    </message>
    <message>
        <source>Typing</source>
        <translation>Eintippen</translation>
    </message>
    <message>
        <source>Expected: %1</source>
        <translation>Erwartet: %1</translation>
    </message>
</context>
<context>
    <name>fabricscope</name>
    <message>
        <source>Pod %1</source>
        <translation>Pod %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 links</source>
        <translation>%1 Links</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>fully connected</source>
        <translation>vollvermascht</translation>
    </message>
    <message>
        <source>switch</source>
        <translation>Switch</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>Alle Ränge</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>Kollektiv</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Size [B]</source>
        <translation>Größe [B]</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Beste</translation>
    </message>
    <message>
        <source>Best [ps]</source>
        <translation>Beste [ps]</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>Untere Schranke</translation>
    </message>
    <message>
        <source>Lower bound [ps]</source>
        <translation>Untere Schranke [ps]</translation>
    </message>
    <message>
        <source>Reached, %</source>
        <translation>Erreicht, %</translation>
    </message>
    <message>
        <source>Reached [1]</source>
        <translation>Erreicht [1]</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Latency bound [ps]</source>
        <translation>Latenzschranke [ps]</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Bandwidth bound [ps]</source>
        <translation>Bandbreitenschranke [ps]</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>Algorithmus</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>Langsamste</translation>
    </message>
    <message>
        <source>Slowest [ps]</source>
        <translation>Langsamste [ps]</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Binds</source>
        <translation>Begrenzt durch</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 (of the cuts looked at)</source>
        <translation>%1 (der geprüften Schnitte)</translation>
    </message>
    <message>
        <source>Candidate</source>
        <translation>Kandidat</translation>
    </message>
    <message>
        <source>Time alone</source>
        <translation>Zeit allein</translation>
    </message>
    <message>
        <source>Time alone [ps]</source>
        <translation>Zeit allein [ps]</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>Genommen</translation>
    </message>
    <message>
        <source>Of the fastest, ×</source>
        <translation>Zum schnellsten, ×</translation>
    </message>
    <message>
        <source>Of the fastest [1]</source>
        <translation>Zum schnellsten [1]</translation>
    </message>
    <message>
        <source>Left out because, or timed how</source>
        <translation>Warum ausgelassen oder wie gemessen</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>ausgelassen</translation>
    </message>
    <message>
        <source>first %1 of %2</source>
        <translation>erste %1 von %2</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>Chunks</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Begin [ps]</source>
        <translation>Anfang [ps]</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>End [ps]</source>
        <translation>Ende [ps]</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Duration [ps]</source>
        <translation>Dauer [ps]</translation>
    </message>
    <message>
        <source>%1, %2 groups</source>
        <translation>%1, %2 Gruppen</translation>
    </message>
    <message>
        <source>%1, group %2</source>
        <translation>%1, Gruppe %2</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft noch</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>The run cannot finish</source>
        <translation>Der Lauf kann nicht enden</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>Rank %1 is in %2: %3.</source>
        <translation>Rang %1 ist in %2: %3.</translation>
    </message>
    <message>
        <source>%1 waits for something that never comes.</source>
        <translation>%1 wartet auf etwas, das nie kommt.</translation>
    </message>
    <message>
        <source>%1 and %2 wait for each other.</source>
        <translation>%1 und %2 warten aufeinander.</translation>
    </message>
    <message>
        <source>Each of these waits for the next, the last for the first: %1.</source>
        <translation>Jeder dieser wartet auf den nächsten, der letzte auf den ersten: %1.</translation>
    </message>
    <message>
        <source>%1 ranks wait for one another in a ring: %2, …</source>
        <translation>%1 Ränge warten im Kreis aufeinander: %2, …</translation>
    </message>
    <message>
        <source>the other %1 links of D%2 like it (%3)</source>
        <translation>die anderen %1 Links von D%2 wie er (%3)</translation>
    </message>
    <message>
        <source>the other %1 links like it (%2)</source>
        <translation>die anderen %1 Links wie er (%2)</translation>
    </message>
    <message>
        <source>One link has a long latency</source>
        <translation>Ein Link hat eine lange Latenz</translation>
    </message>
    <message>
        <source>%1 takes %2 for the first byte, %3; %4 messages crossed it.</source>
        <translation>%1 braucht %2 für das erste Byte, %3; %4 Nachrichten gingen darüber.</translation>
    </message>
    <message>
        <source>One link carries more than the rest</source>
        <translation>Ein Link trägt mehr als die übrigen</translation>
    </message>
    <message>
        <source>One slow link sets the finish</source>
        <translation>Ein langsamer Link bestimmt das Ende</translation>
    </message>
    <message>
        <source>One link is slower than the rest</source>
        <translation>Ein Link ist langsamer als die übrigen</translation>
    </message>
    <message>
        <source>%1 (%2) is busy for %3 of the run, most of %4 for %5.</source>
        <translation>%1 (%2) ist zu %3 des Laufs belegt; %4 meist zu %5.</translation>
    </message>
    <message>
        <source>%1 (%2) is busy for %3 of the run, %4 not at all.</source>
        <translation>%1 (%2) ist zu %3 des Laufs belegt; %4 gar nicht.</translation>
    </message>
    <message>
        <source>One more is as slow.</source>
        <translation>Ein weiterer ist so langsam.</translation>
    </message>
    <message>
        <source>%1 more are as slow.</source>
        <translation>%1 weitere sind so langsam.</translation>
    </message>
    <message>
        <source>Rank %1 is slower than the others</source>
        <translation>Rang %1 ist langsamer als die anderen</translation>
    </message>
    <message>
        <source>%1 ranks are slower than the others</source>
        <translation>%1 Ränge sind langsamer als die anderen</translation>
    </message>
    <message>
        <source>%1 computes for %2, most ranks with the same tasks for %3 (+%4). Everybody who communicates with it waits.</source>
        <translation>%1 rechnet %2, die meisten Ränge mit denselben Tasks %3 (+%4). Alle, die damit kommunizieren, warten.</translation>
    </message>
    <message>
        <source>Communication is exposed: %1 of the step</source>
        <translation>Kommunikation ist unverdeckt: %1 des Schritts</translation>
    </message>
    <message>
        <source>For %1 of %2 rank %3 communicates and does not compute.</source>
        <translation>Rang %3 kommuniziert %1 von %2 lang und rechnet nicht.</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>NPU %1 peers</source>
        <translation>NPU %1 alle NPUs</translation>
    </message>
    <message>
        <source>NPU %1 neighbours</source>
        <translation>NPU %1 Nachbarn</translation>
    </message>
    <message>
        <source>NPU %1 D%2 switch</source>
        <translation>NPU %1 D%2-Switch</translation>
    </message>
    <message>
        <source>%1, %2 unused</source>
        <translation>%1, %2 unbenutzt</translation>
    </message>
    <message>
        <source>%1, all %2</source>
        <translation>%1, alle %2</translation>
    </message>
    <message>
        <source>%1, %2 alike</source>
        <translation>%1, %2 gleiche</translation>
    </message>
    <message>
        <source>busiest %1 of %2 links</source>
        <translation>die %1 am meisten belegten von %2 Links</translation>
    </message>
    <message>
        <source>%1 links in %2 kinds</source>
        <translation>%1 Links in %2 Arten</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>Link</translation>
    </message>
    <message>
        <source>Dim</source>
        <translation>Dim</translation>
    </message>
    <message>
        <source>Dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>Bandwidth [B/s]</source>
        <translation>Bandbreite [B/s]</translation>
    </message>
    <message>
        <source>Latency [ps]</source>
        <translation>Latenz [ps]</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Busy [ps]</source>
        <translation>Belegt [ps]</translation>
    </message>
    <message>
        <source>Busy share, %</source>
        <translation>Belegung, %</translation>
    </message>
    <message>
        <source>Busy share [1]</source>
        <translation>Belegung [1]</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Bytes [B]</source>
        <translation>Bytes [B]</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>%1, 1 chunk</source>
        <translation>%1, 1 Chunk</translation>
    </message>
    <message>
        <source>%1, %2 chunks</source>
        <translation>%1, %2 Chunks</translation>
    </message>
    <message>
        <source>Why %1</source>
        <translation>Warum %1</translation>
    </message>
    <message>
        <source>Waiting for the others to enter, rank %1 last</source>
        <translation>Warten auf den Eintritt der anderen, Rang %1 zuletzt</translation>
    </message>
    <message>
        <source>Waiting for the others to enter</source>
        <translation>Warten auf den Eintritt der anderen</translation>
    </message>
    <message>
        <source>Queued behind earlier collectives</source>
        <translation>Hinter früheren Kollektiven eingereiht</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>Übertragung</translation>
    </message>
    <message>
        <source>Sum, exact</source>
        <translation>Summe, genau</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>Removed from the platform: nothing passes it</source>
        <translation>Aus der Plattform entfernt: nichts läuft darüber</translation>
    </message>
    <message>
        <source>Not like the rest: it has an override</source>
        <translation>Nicht wie die übrigen: es gibt eine Abweichung</translation>
    </message>
    <message>
        <source>not listed: not among the busiest %1</source>
        <translation>nicht gelistet: nicht unter den %1 am meisten belegten</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>Removed from the platform: it runs nothing, and nothing passes it</source>
        <translation>Aus der Plattform entfernt: sie führt nichts aus, und nichts läuft darüber</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitzenleistung</translation>
    </message>
    <message>
        <source>not given</source>
        <translation>nicht angegeben</translation>
    </message>
    <message>
        <source>Memory bandwidth</source>
        <translation>Speicherbandbreite</translation>
    </message>
    <message>
        <source>Idle: no rank runs here</source>
        <translation>Untätig: hier läuft kein Rang</translation>
    </message>
    <message>
        <source>Runs rank %1</source>
        <translation>Hier läuft Rang %1</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Exposed</source>
        <translation>Unverdeckt</translation>
    </message>
    <message>
        <source>Alike</source>
        <translation>Gleiche</translation>
    </message>
    <message>
        <source>D%1 %2, %3</source>
        <translation>D%1 %2, %3</translation>
    </message>
    <message>
        <source>Bandwidth per link</source>
        <translation>Bandbreite je Link</translation>
    </message>
    <message>
        <source>Bandwidth per NPU</source>
        <translation>Bandbreite je NPU</translation>
    </message>
    <message>
        <source>Latency per link</source>
        <translation>Latenz je Link</translation>
    </message>
    <message>
        <source>Busy, mean of the links</source>
        <translation>Belegt, Mittel der Links</translation>
    </message>
    <message>
        <source>Busiest link</source>
        <translation>Vollster Link</translation>
    </message>
    <message>
        <source>Bytes, all links</source>
        <translation>Bytes, alle Links</translation>
    </message>
    <message>
        <source>Range of time</source>
        <translation>Zeitbereich</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Send and receive</source>
        <translation>Senden und Empfangen</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>All %1 ranks</source>
        <translation>Alle %1 Ränge</translation>
    </message>
    <message>
        <source>Ranks %1</source>
        <translation>Ränge %1</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Receive</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Peer</source>
        <translation>Partner</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>%1 intervals in %2</source>
        <translation>%1 Intervalle in %2</translation>
    </message>
    <message>
        <source>Mostly</source>
        <translation>Meist</translation>
    </message>
    <message>
        <source>Mean bandwidth</source>
        <translation>Mittlere Bandbreite</translation>
    </message>
</context>
<context>
    <name>fabricscope::Figures</name>
    <message>
        <source>Step time</source>
        <translation>Schrittzeit</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>Unverdeckte Kommunikation</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Tokens a second</source>
        <translation>Token je Sekunde</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Memory per rank</source>
        <translation>Speicher je Rang</translation>
    </message>
    <message>
        <source>NPUs</source>
        <translation>NPUs</translation>
    </message>
    <message>
        <source>Switches</source>
        <translation>Switches</translation>
    </message>
    <message>
        <source>Cables</source>
        <translation>Kabel</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Cost per year</source>
        <translation>Kosten je Jahr</translation>
    </message>
    <message>
        <source>Cost per million tokens</source>
        <translation>Kosten je Million Token</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Leistung</translation>
    </message>
    <message>
        <source>MTBF</source>
        <translation>MTBF</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>Goodput</translation>
    </message>
</context>
<context>
    <name>fabricscope::RanksContent</name>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Job</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Finish [ps]</source>
        <translation>Ende [ps]</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>Unverdeckte Kommunikation</translation>
    </message>
    <message>
        <source>Exposed communication [ps]</source>
        <translation>Unverdeckte Kommunikation [ps]</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Compute [ps]</source>
        <translation>Rechnen [ps]</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Communication [ps]</source>
        <translation>Kommunikation [ps]</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory [ps]</source>
        <translation>Speicher [ps]</translation>
    </message>
    <message>
        <source>Exposed share, %</source>
        <translation>Unverdeckt, %</translation>
    </message>
    <message>
        <source>Exposed share [1]</source>
        <translation>Unverdeckt [1]</translation>
    </message>
    <message>
        <source>NPU</source>
        <translation>NPU</translation>
    </message>
    <message>
        <source>NPUs</source>
        <translation>NPUs</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
</context>
<context>
    <name>fabricscope::SettingsDialog</name>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Size of the text</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>Patterns on intervals</source>
        <translation>Muster auf Intervallen</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Run again after every edit</source>
        <translation>Nach jeder Änderung neu simulieren</translation>
    </message>
    <message>
        <source>Threads of a run</source>
        <translation>Threads eines Laufs</translation>
    </message>
    <message>
        <source>Copy of unsaved changes every</source>
        <translation>Kopie ungespeicherter Änderungen alle</translation>
    </message>
    <message>
        <source>Design panel in Explore</source>
        <translation>Entwurfsleiste in Erkunden</translation>
    </message>
    <message>
        <source>Inspector in Explore</source>
        <translation>Inspektor in Erkunden</translation>
    </message>
    <message>
        <source>Tables in Explore</source>
        <translation>Tabellen in Erkunden</translation>
    </message>
</context>
<context>
    <name>fabricscope::Variants</name>
    <message>
        <source>Design</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>on the front</source>
        <translation>auf der Front</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>infeasible</source>
        <translation>unzulässig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>verworfen</translation>
    </message>
    <message>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>full grid</source>
        <translation>volles Raster</translation>
    </message>
    <message>
        <source>Latin hypercube</source>
        <translation>Latin Hypercube</translation>
    </message>
    <message>
        <source>Sobol sequence</source>
        <translation>Sobol-Folge</translation>
    </message>
    <message>
        <source>Saltelli&apos;s sampling</source>
        <translation>Saltelli-Stichprobe</translation>
    </message>
    <message>
        <source>successive halving</source>
        <translation>sukzessives Halbieren</translation>
    </message>
    <message>
        <source>NSGA-II</source>
        <translation>NSGA-II</translation>
    </message>
    <message>
        <source>local search</source>
        <translation>lokale Suche</translation>
    </message>
    <message>
        <source>minimise</source>
        <translation>minimieren</translation>
    </message>
    <message>
        <source>maximise</source>
        <translation>maximieren</translation>
    </message>
    <message>
        <source>report</source>
        <translation>berichten</translation>
    </message>
    <message>
        <source>%1 other by %2, %3</source>
        <translation>%1 anderer nach %2, %3</translation>
    </message>
    <message>
        <source>%1 others by %2, %3</source>
        <translation>%1 andere nach %2, %3</translation>
    </message>
    <message>
        <source>Not distinguishable</source>
        <translation>Nicht unterscheidbar</translation>
    </message>
</context>
<context>
    <name>fabricscope::comparing</name>
    <message>
        <source>pt</source>
        <translation>Pp</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>%1 [ps, bytes or millionths]</source>
        <translation>%1 [ps, Bytes oder Millionstel]</translation>
    </message>
    <message>
        <source>%1 − %2</source>
        <translation>%1 − %2</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>Feld</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>Waiting or idle</source>
        <translation>Warten oder untätig</translation>
    </message>
    <message>
        <source>%1, exposed</source>
        <translation>%1, unverdeckt</translation>
    </message>
    <message>
        <source>%1 in %2, exposed</source>
        <translation>%1 in %2, unverdeckt</translation>
    </message>
    <message>
        <source>dimension %1</source>
        <translation>Dimension %1</translation>
    </message>
    <message>
        <source>Step time, sum</source>
        <translation>Schrittzeit, Summe</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>Untere Schranke</translation>
    </message>
    <message>
        <source>Lower bound, of the step</source>
        <translation>Untere Schranke, vom Schritt</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>Unverdeckte Kommunikation</translation>
    </message>
    <message>
        <source>Busy, %1</source>
        <translation>Belegt, %1</translation>
    </message>
    <message>
        <source>Traffic, %1</source>
        <translation>Verkehr, %1</translation>
    </message>
    <message>
        <source>Memory of a rank, most</source>
        <translation>Speicher eines Rangs, höchstens</translation>
    </message>
</context>
<context>
    <name>fabricscope::kernelform</name>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>own terms</source>
        <translation>eigene Werte</translation>
    </message>
    <message>
        <source>the peak</source>
        <translation>die Spitze</translation>
    </message>
    <message>
        <source>Kernel start</source>
        <translation>Kernelstart</translation>
    </message>
    <message>
        <source>Time that every kernel takes beside its work, as 2 us</source>
        <translation>Zeit, die jeder Kernel neben seiner Arbeit braucht, etwa 2 us</translation>
    </message>
    <message>
        <source>Share of peak</source>
        <translation>Spitzenanteil</translation>
    </message>
    <message>
        <source>Of the peak, what products reach while all units work: above 0, at most 1</source>
        <translation>Anteil der Spitzenleistung, den Produkte erreichen, während alle Einheiten arbeiten: über 0, höchstens 1</translation>
    </message>
    <message>
        <source>Attention share</source>
        <translation>Attention-Anteil</translation>
    </message>
    <message>
        <source>The same of attention: above 0, at most 1</source>
        <translation>Dasselbe für Attention: über 0, höchstens 1</translation>
    </message>
    <message>
        <source>Memory share</source>
        <translation>Speicheranteil</translation>
    </message>
    <message>
        <source>Of the memory bandwidth, what kernels reach: above 0, at most 1</source>
        <translation>Anteil der Speicherbandbreite, den Kernel erreichen: über 0, höchstens 1</translation>
    </message>
    <message>
        <source>Traffic</source>
        <translation>Verkehr</translation>
    </message>
    <message>
        <source>Kernels that are no products move so many times the bytes of their tensors: 0.001 to 1000</source>
        <translation>Kernel, die keine Produkte sind, bewegen so vielmal die Bytes ihrer Tensoren: 0,001 bis 1000</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Einheiten</translation>
    </message>
    <message>
        <source>Among which the tiles of a product are dealt out, as 132 on an H100; 0: products have no tiles</source>
        <translation>Auf die die Kacheln eines Produkts verteilt werden, etwa 132 auf einer H100; 0: Produkte haben keine Kacheln</translation>
    </message>
    <message>
        <source>FP8 peak</source>
        <translation>FP8-Spitze</translation>
    </message>
    <message>
        <source>Peak of FP8 products, as 1979 TFLOP/s; empty: that of the machine, or the peak of the NPU</source>
        <translation>Spitzenleistung von FP8-Produkten, etwa 1979 TFLOP/s; leer: die der Maschine oder der NPU</translation>
    </message>
    <message>
        <source>FP32 peak</source>
        <translation>FP32-Spitze</translation>
    </message>
    <message>
        <source>Peak of models that compute in FP32; empty: the peak of the NPU</source>
        <translation>Spitzenleistung von Modellen, die in FP32 rechnen; leer: die der NPU</translation>
    </message>
    <message>
        <source>Host per layer</source>
        <translation>Host je Schicht</translation>
    </message>
    <message>
        <source>Time in which the host launches a layer, forward and backward, of a micro-batch: no pass is shorter</source>
        <translation>Zeit, in der der Host eine Schicht eines Mikrobatches startet, vorwärts und rückwärts: kein Durchlauf ist kürzer</translation>
    </message>
</context>
<context>
    <name>fabricscope::quantitytext</name>
    <message>
        <source>Enter a time such as 2.5 us</source>
        <translation>Eine Zeit wie 2,5 us eingeben</translation>
    </message>
    <message>
        <source>Enter a size such as 64 MiB</source>
        <translation>Eine Größe wie 64 MiB eingeben</translation>
    </message>
    <message>
        <source>Enter a rate such as 50 GB/s</source>
        <translation>Eine Rate wie 50 GB/s eingeben</translation>
    </message>
    <message>
        <source>Enter operations such as 2 TFLOP</source>
        <translation>Operationen wie 2 TFLOP eingeben</translation>
    </message>
    <message>
        <source>Enter a rate such as 989 TFLOP/s</source>
        <translation>Eine Rate wie 989 TFLOP/s eingeben</translation>
    </message>
    <message>
        <source>Enter a number</source>
        <translation>Eine Zahl eingeben</translation>
    </message>
</context>
<context>
    <name>fabricscope::steptexts</name>
    <message>
        <source>Reduce</source>
        <translation>Reduce</translation>
    </message>
    <message>
        <source>Gather</source>
        <translation>Gather</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>Scatter</translation>
    </message>
    <message>
        <source>Broadcast</source>
        <translation>Broadcast</translation>
    </message>
    <message>
        <source>Custom collective</source>
        <translation>Eigenes Kollektiv</translation>
    </message>
    <message>
        <source>%1 parts</source>
        <translation>%1 Teile</translation>
    </message>
    <message>
        <source>part %1</source>
        <translation>Teil %1</translation>
    </message>
    <message>
        <source>parts %1</source>
        <translation>Teile %1</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
    <message>
        <source>waits for link</source>
        <translation>wartet auf Link</translation>
    </message>
    <message>
        <source>%1 sent</source>
        <translation>%1 gesendet</translation>
    </message>
    <message>
        <source>arriving</source>
        <translation>kommt an</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
</context>
<context>
    <name>fabricscope::texts</name>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>All-reduce</source>
        <translation>All-reduce</translation>
    </message>
    <message>
        <source>All-gather</source>
        <translation>All-gather</translation>
    </message>
    <message>
        <source>Reduce-scatter</source>
        <translation>Reduce-scatter</translation>
    </message>
    <message>
        <source>All-to-all</source>
        <translation>All-to-all</translation>
    </message>
    <message>
        <source>Send and receive</source>
        <translation>Senden und Empfangen</translation>
    </message>
    <message>
        <source>Broadcast and other</source>
        <translation>Broadcast und andere</translation>
    </message>
    <message>
        <source>Barrier</source>
        <translation>Barriere</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>Ranks %1</source>
        <translation>Ränge %1</translation>
    </message>
    <message>
        <source>D%1 switch</source>
        <translation>D%1-Switch</translation>
    </message>
    <message>
        <source>%1 on D%2</source>
        <translation>%1 auf D%2</translation>
    </message>
    <message>
        <source>Reduce</source>
        <translation>Reduce</translation>
    </message>
    <message>
        <source>Gather</source>
        <translation>Gather</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>Scatter</translation>
    </message>
    <message>
        <source>Broadcast</source>
        <translation>Broadcast</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Eigenes</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>Alle Ränge</translation>
    </message>
    <message>
        <source>Earlier inputs</source>
        <translation>Frühere Eingaben</translation>
    </message>
    <message>
        <source>The design has changed since this was run. The figures are those of the design as it was.</source>
        <translation>Der Entwurf hat sich seit diesem Lauf geändert. Die Werte gehören zum Entwurf, wie er war.</translation>
    </message>
    <message>
        <source>Not shown: not enough memory or threads. &lt;a href=&quot;again&quot;&gt;Try again&lt;/a&gt;.</source>
        <translation>Nicht gezeigt: zu wenig Speicher oder Threads. &lt;a href=&quot;again&quot;&gt;Erneut versuchen&lt;/a&gt;.</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>Waiting or idle</source>
        <translation>Warten oder untätig</translation>
    </message>
    <message>
        <source>Memory, exposed</source>
        <translation>Speicher, unverdeckt</translation>
    </message>
    <message>
        <source>%1 %2, exposed</source>
        <translation>%1 %2, unverdeckt</translation>
    </message>
    <message>
        <source>%1, exposed</source>
        <translation>%1, unverdeckt</translation>
    </message>
    <message>
        <source>one %1</source>
        <translation>ein %1</translation>
    </message>
    <message>
        <source>one training step</source>
        <translation>ein Trainingsschritt</translation>
    </message>
    <message>
        <source>NOUNS_SMALL</source>
        <extracomment>Not shown. Write NOUNS_CAPITAL where nouns begin with a capital inside of a sentence, too.</extracomment>
        <translation>NOUNS_CAPITAL</translation>
    </message>
</context>
</TS>
