document-new = New document
document-new-title = New document
document-create = Create document
document-edit-title = Edit document
document-delete = Delete this document
document-delete-title = Delete document
document-text = Text
document-no-text = This document is empty.
document-old = This is an earlier version.
document-newest = Show the newest
documents-filter = Type of document
documents-all = All
documents-none = No documents here
documents-none-text = Documents come with approved proposals, or you write one yourself.
versions-title = Versions
version-number = Version { $count }
versions-earlier = Earlier versions
changes-title = What changed in this version
changes-none = The text is as it was before.
changes-cut = There are more changes than can be shown here.
lines-added =
    { $count ->
        [one] { $count } line added
       *[other] { $count } lines added
    }
lines-removed =
    { $count ->
        [one] { $count } line removed
       *[other] { $count } lines removed
    }
done-document = The document is there.
