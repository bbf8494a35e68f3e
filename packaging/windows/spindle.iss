; Inno Setup's script for Windows. Never run: nobody has built or tried Spindle on Windows yet.
; iscc /DVersion=0.1.0 packaging\windows\spindle.iss, after PyInstaller has made build\package\frozen\spindle.

[Setup]
AppId=Spindle
AppName=Spindle
AppVersion={#Version}
DefaultDirName={autopf}\Spindle
DefaultGroupName=Spindle
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesEnvironment=yes
LicenseFile=..\..\LICENSE
OutputDir=..\..\dist
OutputBaseFilename=spindle-{#Version}-windows-x86_64
SourceDir=..\..\build\package\frozen

[Files]
Source: "spindle\*"; DestDir: "{app}"; Flags: recursesubdirs createallsubdirs ignoreversion

[Icons]
; The program for a console opens the window as well; spindlew has no console.
Name: "{group}\Spindle"; Filename: "{app}\spindlew.exe"

[Registry]
Root: HKA; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; \
    Check: IsNotInPath(ExpandConstant('{app}'))

[Code]
function IsNotInPath(Folder: string): Boolean;
var
  Path: string;
begin
  Result := not RegQueryStringValue(HKA, 'Environment', 'Path', Path) or (Pos(Folder, Path) = 0);
end;
